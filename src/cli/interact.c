/* SPDX-License-Identifier: Apache-2.0
 *
 * interact.c: the shell on a terminal: line editing and history by libedit, statements over
 * several lines, completion by Tab. */
#include "cli/complete.h"
#include "cli/shell.h"

#include <editline/readline.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool interact_is_quit(const char *line)
{
    static const char *const words[] = {"exit", "quit", "exit;", "quit;", ".exit"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(line, words[i]) == 0)
            return true;
    return false;
}

static void interact_history_name(char *ret, size_t size)
{
    const char *home = getenv("HOME");

    (void)snprintf(ret, size, "%s/.dendro_history", home ? home : ".");
}

#define INTERACT_HISTORY 5000 /* entries kept */

/* Once each: what is typed again moves to the end. */
static void interact_remember(const char *text)
{
    HIST_ENTRY *entry;

    for (int i = history_length - 1; i >= 0; i--) {
        entry = history_get(history_base + i);
        if (!entry || !entry->line || strcmp(entry->line, text) != 0)
            continue;
        entry = remove_history(i);
        if (entry) {
            free((void *)(uintptr_t)entry->line); /* libedit allocated them */
            free(entry);
        }
        break;
    }
    (void)add_history(text);
}

/* In a transaction, in one that failed, without a server. */
static const char *interact_mark(const struct shell *sh)
{
    enum dendro_tx_status status = backend_status(sh->backend);

    if (sh->backend->lost)
        return "?";
    return status == DENDRO_TX_BLOCK ? "*" : status == DENDRO_TX_FAILED ? "!" : "";
}

/* A line; NULL at the end. Ctrl-C throws away what was typed so far. */
static char *interact_line(struct shell *sh, struct buf *text)
{
    sigjmp_buf back;
    char prompt[128];
    char *line;

    if (sigsetjmp(back, 1) != 0) {
        buf_reset(text);
        (void)puts("^C");
        (void)fflush(stdout);
    }
    (void)snprintf(prompt,
                   sizeof prompt,
                   "%s%s%s> ",
                   sh->backend->title,
                   text->len ? "-" : "=",
                   interact_mark(sh));
    shell_at_prompt(&back);
    line = readline(prompt);
    shell_at_prompt(NULL);
    (void)shell_interrupted(true); /* what was pressed so far is dealt with */
    return line;
}

/* A statement that is complete runs. */
static void interact_statement(struct shell *sh, struct buf *text)
{
    if (text->failed || !dendro_complete((const char *)text->data, (ptrdiff_t)text->len))
        return;
    buf_u8(text, '\0');
    text->data[text->len - 2] = '\0';
    interact_remember((const char *)text->data);
    (void)shell_run(sh, (const char *)text->data, text->len - 2, 1);
    buf_reset(text);
}

void shell_interact(struct shell *sh)
{
    char file[4096];
    struct buf text;

    interact_history_name(file, sizeof file);
    using_history();
    stifle_history(INTERACT_HISTORY);
    buf_init(&text, NULL);
    complete_begin(sh, &text);
    (void)read_history(file);
    while (!sh->quit) {
        char *line = interact_line(sh, &text);
        if (!line)
            break;
        if (text.len == 0 && interact_is_quit(line)) {
            sh->quit = true;
        } else if (line[0] == '\\' || (text.len == 0 && line[0] == '.')) {
            interact_remember(line);
            shell_meta(sh, line);
        } else if (text.len || line[strspn(line, " \t")]) {
            buf_puts(&text, line);
            buf_u8(&text, '\n');
            interact_statement(sh, &text);
        }
        free(line); /* libedit allocated it */
    }
    (void)puts("");
    complete_end();
    buf_done(&text);
    (void)write_history(file);
    (void)chmod(file, 0600); /* statements may hold what is nobody else's business */
}
