/* SPDX-License-Identifier: Apache-2.0
 *
 * clock.h: a clock that cannot jump, beside the wall clock of volume.h (docs/adr/0014).
 *
 * The wall clock may be wrong: set by hand, a machine that starts without knowing the time. What
 * cannot be undone (dropping rows for good) goes by the *sure* clock instead (docs/adr/0014). It is
 * anchored at a time that is known to have been reached, and runs on with the time that has elapsed
 * on the machine since. The wall clock is believed as long as it is not further ahead of that than
 * the step given with the anchor, and from then on than VOLUME_CLOCK_SLACK_NS; what it is believed
 * to say moves the anchor up. Without an anchor, and where the clock was set for tests, the wall
 * clock is the sure one.
 *
 * volume_sure_ns: never ahead of the wall clock, nor of what is sure. volume_latest_ns: the wall
 * clock, or what is sure where that is later: for what must not come too early, such as the instant
 * at which a new row expires. Any thread. */
#pragma once

#include "volume/volume.h"

#define VOLUME_CLOCK_SLACK_NS ((int64_t)600 * 1000000000)
int64_t volume_sure_ns(struct volume *v);
int64_t volume_latest_ns(struct volume *v);
/* step_ns >= 0; at_ns 0: no time is known to have been reached, and none is believed. */
void volume_clock_anchor(struct volume *v, int64_t at_ns, int64_t step_ns);
