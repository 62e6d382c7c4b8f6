/* SPDX-License-Identifier: Apache-2.0
 *
 * interact.c: the shell on a terminal: line editing and history by libedit, statements over
 * several lines, completion by Tab. */
#include "cli/complete.h"
#include "cli/shell.h"

#include <editline/readline.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool interact_is_quit(const char *line)
{
    static const char *const words[] = {"exit", "quit", "exit;", "quit;"};

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

void shell_interact(struct shell *sh)
{
    char file[4096];
    struct buf text;

    interact_history_name(file, sizeof file);
    using_history();
    complete_begin(sh);
    (void)read_history(file);
    buf_init(&text, NULL);
    while (!sh->quit) {
        char *line = readline(text.len ? "dendro-> " : "dendro=> ");
        if (!line)
            break;
        if (text.len == 0 && (line[0] == '\\' || line[0] == '.')) {
            (void)add_history(line);
            shell_meta(sh, line);
        } else if (text.len == 0 && interact_is_quit(line)) {
            sh->quit = true;
        } else if (text.len || line[strspn(line, " \t")]) {
            buf_puts(&text, line);
            buf_u8(&text, '\n');
            if (!text.failed && dendro_complete((const char *)text.data, (ptrdiff_t)text.len)) {
                buf_u8(&text, '\0');
                text.data[text.len - 2] = '\0';
                (void)add_history((const char *)text.data);
                (void)shell_run(sh, (const char *)text.data, text.len - 2, 1);
                buf_reset(&text);
            }
        }
        free(line); /* libedit allocated it */
    }
    (void)puts("");
    complete_end();
    buf_done(&text);
    (void)write_history(file);
}
