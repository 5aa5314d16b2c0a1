/* The world indus:addon@1.0.0 for C, without a library: what addon.wit says in the canonical ABI.
 *
 * An addon includes this once and defines the six functions named addon_*. Texts are not ended by a
 * zero. What a function is given, and what it takes from `addon_new`, lives until it returns and the
 * host has read the answer; globals live as long as the component. */

#ifndef INDUS_ADDON_H
#define INDUS_ADDON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    const char *at;
    size_t length;
} addon_text;

#define TEXT(literal) ((addon_text){(literal), sizeof(literal) - 1})

/* Answers: a decision and its text. */

enum { UNCHANGED = 0, CHANGED = 1, STOPPED = 2 };

typedef struct {
    uint8_t tag; /* UNCHANGED, CHANGED, STOPPED */
    addon_text text;
} addon_decision;

typedef struct {
    uint8_t failed; /* 0: `text` if `has_text`; 1: `text` is the reason, and `has_text` is ignored */
    uint8_t has_text;
    addon_text text;
} addon_command_answer;

typedef struct {
    addon_text text;
    bool is_error;
} addon_tool_answer;

/* What an addon defines. */

addon_text addon_register(void);
addon_decision addon_handle(uint32_t handler, addon_text event, addon_text payload);
addon_decision addon_enter(uint32_t handler, addon_text tool, addon_text call, addon_text args);
addon_decision addon_leave(uint32_t handler, addon_text tool, addon_text call, addon_text args,
                          addon_text answer, addon_text error);
addon_command_answer addon_command(addon_text name, addon_text args, addon_text cwd);
addon_tool_answer addon_call_tool(addon_text name, addon_text call, addon_text args);

/* What the host offers, each behind a grant. */

enum { LOG_DEBUG, LOG_INFO, LOG_WARNING, LOG_ERROR };
enum { REPLY_DONE, REPLY_REFUSED, REPLY_FAILED };
enum { FOUND_ABSENT, FOUND_PRESENT, FOUND_FAILED };
enum { RESULT_OK, RESULT_ERR };

typedef struct {
    uint8_t tag;
    addon_text text;
} addon_reply;

#define HOST(interface, name)                                                                      \
    __attribute__((import_module("indus:addon/" interface "@1.0.0"), import_name(name)))

HOST("log", "write") void host_log(uint32_t level, const char *text, size_t length);
HOST("state", "get") void host_state_get(const char *key, size_t length, addon_reply *found);
HOST("state", "set")
void host_state_set(const char *key, size_t key_length, uint32_t has_value, const char *value,
                    size_t length, addon_reply *reply);
HOST("notify", "notify") void host_notify(const char *text, size_t length, addon_reply *reply);
HOST("session", "send-message")
void host_send_message(const char *text, size_t length, addon_reply *reply);
HOST("session", "set-model") void host_set_model(const char *text, size_t length, addon_reply *reply);
HOST("session", "set-thinking")
void host_set_thinking(const char *text, size_t length, addon_reply *reply);
HOST("process", "exec") void host_exec(const char *command, size_t length, addon_reply *result);

/* Memory: it grows until the host has read the answer, then everything is free again. */

extern unsigned char __heap_base;
static size_t addon_top;

static inline void *addon_new(size_t size, size_t align) {
    if (addon_top == 0) addon_top = (size_t)&__heap_base;
    size_t at = (addon_top + align - 1) & ~(align - 1);
    addon_top = at + size;
    size_t have = __builtin_wasm_memory_size(0) * 65536;
    if (addon_top > have) {
        size_t pages = (addon_top - have + 65535) / 65536;
        if (__builtin_wasm_memory_grow(0, pages) == (size_t)-1) __builtin_trap();
    }
    return (void *)at;
}

static inline void addon_copy(char *to, const char *from, size_t length) {
    for (size_t i = 0; i < length; i++) to[i] = from[i];
}

#define EXPORT(name) __attribute__((export_name(name)))

EXPORT("cabi_realloc")
void *cabi_realloc(void *old, size_t old_size, size_t align, size_t size) {
    void *fresh = addon_new(size, align);
    addon_copy(fresh, old, old_size < size ? old_size : size);
    return fresh;
}

static union {
    addon_text text;
    addon_decision decision;
    addon_tool_answer tool;
    struct {
        uint8_t failed;
        union {
            struct {
                uint8_t has_text;
                addon_text text;
            } ok;
            addon_text why;
        } is;
    } command;
} addon_answer;

EXPORT("register") void *export_register(void) {
    addon_answer.text = addon_register();
    return &addon_answer;
}

EXPORT("handle")
void *export_handle(uint32_t handler, const char *event, size_t event_length, const char *payload,
                    size_t length) {
    addon_text name = {event, event_length}, text = {payload, length};
    addon_answer.decision = addon_handle(handler, name, text);
    return &addon_answer;
}

EXPORT("enter")
void *export_enter(uint32_t handler, const char *tool, size_t tool_length, const char *call,
                   size_t call_length, const char *args, size_t length) {
    addon_text name = {tool, tool_length}, id = {call, call_length}, text = {args, length};
    addon_answer.decision = addon_enter(handler, name, id, text);
    return &addon_answer;
}

EXPORT("leave")
void *export_leave(uint32_t handler, const char *tool, size_t tool_length, const char *call,
                  size_t call_length, const char *args, size_t args_length, const char *answer,
                  size_t length, const char *error, size_t error_length) {
    addon_text name = {tool, tool_length}, id = {call, call_length}, given = {args, args_length};
    addon_text text = {answer, length}, why = {error, error_length};
    addon_answer.decision = addon_leave(handler, name, id, given, text, why);
    return &addon_answer;
}

EXPORT("command")
void *export_command(const char *name, size_t name_length, const char *args, size_t length,
                     const char *cwd, size_t cwd_length) {
    addon_text which = {name, name_length}, text = {args, length}, where = {cwd, cwd_length};
    addon_command_answer said = addon_command(which, text, where);
    addon_answer.command.failed = said.failed;
    if (said.failed) {
        addon_answer.command.is.why = said.text;
    } else {
        addon_answer.command.is.ok.has_text = said.has_text;
        addon_answer.command.is.ok.text = said.text;
    }
    return &addon_answer;
}

EXPORT("call-tool")
void *export_call_tool(const char *name, size_t name_length, const char *call, size_t call_length,
                       const char *args, size_t length) {
    addon_text which = {name, name_length}, id = {call, call_length}, text = {args, length};
    addon_answer.tool = addon_call_tool(which, id, text);
    return &addon_answer;
}

#define AFTER(name, function)                                                                      \
    EXPORT("cabi_post_" name) void function(void *answer) {                                        \
        (void)answer;                                                                              \
        addon_top = 0;                                                                             \
    }

AFTER("register", after_register)
AFTER("handle", after_handle)
AFTER("enter", after_enter)
AFTER("leave", after_leave)
AFTER("command", after_command)
AFTER("call-tool", after_call_tool)

#endif
