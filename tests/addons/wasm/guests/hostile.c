/* Everything an addon should not do, one kind of it for each number of `handle`. */

#include "../../../../examples/addons/wasm/indus_addon.h"

/* The first five are the places of the events below. */
enum {
    LOOP, CHANGE, STOP, CHANGE_GATE, CHANGE_INPUT, GROW, GROW_AT_ONCE, TRAP, RECURSE, LONG_ANSWER,
    BAD_UTF8, OUTSIDE, FLOOD, COUNT, CALL = 20,
};

static uint32_t count;
static volatile uint32_t sink;

addon_text addon_register(void) {
    return TEXT("{\"id\": \"hostile\", \"events\": ["
                "{\"event\": \"turn:start\", \"kind\": \"observe\"},"
                "{\"event\": \"session:start\", \"kind\": \"observe\"},"
                "{\"event\": \"chat:params\", \"kind\": \"transform\"},"
                "{\"event\": \"tool:before\", \"kind\": \"gate\"},"
                "{\"event\": \"input:submit\", \"kind\": \"transform\"}],"
                " \"interceptors\": [{\"enter\": true, \"exit\": true}],"
                " \"commands\": [{\"name\": \"fail\"}, {\"name\": \"silent\"}],"
                " \"tools\": [{\"name\": \"spin\", \"description\": \"never ends\","
                " \"parameters\": {\"type\": \"object\"}}]}");
}

static uint32_t deeper(uint32_t depth) {
    volatile uint32_t local[64];
    if (sink == UINT32_MAX) return 0;
    local[depth % 64] = depth;
    return deeper(depth + 1) + local[depth % 64];
}

static addon_reply call(uint32_t which, addon_text text) {
    addon_reply reply = {0};
    switch (which) {
    case 0: host_log(LOG_WARNING, text.at, text.length); break;
    case 1: host_state_get(text.at, text.length, &reply); break;
    case 2: host_state_set("k", 1, 1, text.at, text.length, &reply); break;
    case 3: host_notify(text.at, text.length, &reply); break;
    case 4: host_send_message(text.at, text.length, &reply); break;
    case 5: host_set_model(text.at, text.length, &reply); break;
    case 6: host_set_thinking(text.at, text.length, &reply); break;
    case 7: host_exec(text.at, text.length, &reply); break;
    case 8: host_state_set("k", 1, 0, text.at, text.length, &reply); break;
    }
    return reply;
}

/* `n` and its tag as a digit: "3:0 and the text". */
static addon_text told(addon_reply reply) {
    char *at = addon_new(reply.text.length + 2, 1);
    bool has_text = reply.tag != 0 || reply.text.length > 0;
    at[0] = (char)('0' + reply.tag);
    at[1] = ' ';
    if (has_text) addon_copy(at + 2, reply.text.at, reply.text.length);
    return (addon_text){at, 2 + (has_text ? reply.text.length : 0)};
}

addon_decision addon_handle(uint32_t handler, addon_text event, addon_text payload) {
    (void)event;
    switch (handler) {
    case LOOP: for (;;) sink++;
    case GROW: for (;;) addon_new(65536, 1);
    case GROW_AT_ONCE: addon_new(1u << 30, 1); break;
    case TRAP: __builtin_trap();
    case RECURSE: sink = deeper(0); break;
    case LONG_ANSWER: {
        size_t length = 2 * 1024 * 1024;
        char *text = addon_new(length, 1);
        for (size_t i = 0; i < length; i++) text[i] = 'x';
        return (addon_decision){STOPPED, {text, length}};
    }
    case BAD_UTF8: return (addon_decision){STOPPED, TEXT("\xff\xfe")};
    case OUTSIDE: return (addon_decision){STOPPED, {(const char *)0x7fffffff, 16}};
    case FLOOD: for (;;) host_log(LOG_INFO, "again", 5);
    case COUNT: {
        char *digit = addon_new(1, 1);
        digit[0] = (char)('0' + count++ % 10);
        return (addon_decision){STOPPED, {digit, 1}};
    }
    case CHANGE:
    case CHANGE_GATE:
    case CHANGE_INPUT: return (addon_decision){CHANGED, TEXT("{\"type\": \"chat\", \"text\": 1}")};
    case STOP: return (addon_decision){STOPPED, TEXT("no")};
    default:
        if (handler >= CALL) return (addon_decision){STOPPED, told(call(handler - CALL, payload))};
    }
    return (addon_decision){.tag = UNCHANGED};
}

addon_decision addon_enter(uint32_t handler, addon_text tool, addon_text call_id, addon_text args) {
    (void)handler, (void)tool, (void)call_id, (void)args;
    return (addon_decision){CHANGED, TEXT("[1, 2]")};
}

addon_decision addon_leave(uint32_t handler, addon_text tool, addon_text call_id, addon_text args,
                          addon_text answer, addon_text error) {
    (void)handler, (void)tool, (void)call_id, (void)args, (void)answer, (void)error;
    return (addon_decision){CHANGED, TEXT("{\"content\": \"a text\"}")};
}

addon_command_answer addon_command(addon_text name, addon_text args, addon_text cwd) {
    (void)args, (void)cwd;
    if (name.at[0] == 's') return (addon_command_answer){0, 0, {0, 0}};
    return (addon_command_answer){1, 0, TEXT("the dog ate it")};
}

addon_tool_answer addon_call_tool(addon_text name, addon_text call_id, addon_text args) {
    (void)name, (void)call_id, (void)args;
    for (;;) sink++;
}
