/* SPDX-License-Identifier: Apache-2.0
 *
 * contract_list.h: every test of the contract of volumes, once: CONTRACT(function). */

/* clang-format off */
CONTRACT(bad_names_are_refused_everywhere)
CONTRACT(all_good_names_are_taken)
CONTRACT(name_spaces_are_apart)
CONTRACT(objects_are_written_once)
CONTRACT(ranges_are_read_exactly)
CONTRACT(reads_go_on_in_the_background)
CONTRACT(one_of_many_puts_wins)
CONTRACT(logs_grow_at_their_end)
CONTRACT(a_fence_keeps_old_writers_out)
CONTRACT(unsynced_appends_are_seen_at_once)
CONTRACT(logs_are_written_side_by_side)
CONTRACT(many_logs_stay_usable)
CONTRACT(documents_change_by_generation)
CONTRACT(large_documents_are_whole)
CONTRACT(compare_and_swap_loses_nothing)
CONTRACT(leases_have_one_holder_and_an_end)
CONTRACT(notices_reach_the_watcher)
CONTRACT(scans_run_near_the_object)
CONTRACT(clock_and_randomness_are_there)
CONTRACT(scratch_files_hold_what_spills)
CONTRACT(other_volumes_are_apart)
CONTRACT(an_erased_volume_is_gone)
CONTRACT(objects_come_and_go_side_by_side)
CONTRACT(a_lost_lock_ends_all_writes)
CONTRACT(no_memory_is_an_error_everywhere)
CONTRACT(no_memory_at_open_is_an_error)
/* clang-format on */
