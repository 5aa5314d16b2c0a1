/* Texts for addons in C: looking into one, and putting one together. The host writes JSON without
 * spaces, so much of it can be read and changed as text. Include indus_addon.h first. */

#ifndef INDUS_ADDON_TEXT_H
#define INDUS_ADDON_TEXT_H

static inline bool starts(addon_text text, size_t at, addon_text with) {
    if (at + with.length > text.length) return false;
    for (size_t i = 0; i < with.length; i++)
        if (text.at[at + i] != with.at[i]) return false;
    return true;
}

/* Where `what` stands in the text at `from` or later, its length when it does not. */
static inline size_t find_from(addon_text text, size_t from, addon_text what) {
    for (size_t at = from; at + what.length <= text.length; at++)
        if (starts(text, at, what)) return at;
    return text.length;
}

static inline size_t find(addon_text text, addon_text what) { return find_from(text, 0, what); }

static inline bool has(addon_text text, addon_text what) { return find(text, what) < text.length; }

static inline bool same(addon_text one, addon_text other) {
    return one.length == other.length && starts(one, 0, other);
}

static inline addon_text piece(addon_text text, size_t from, size_t to) {
    return (addon_text){text.at + from, to - from};
}

/* A text that is put together, with room for `most` bytes. */
typedef struct {
    char *at;
    size_t length;
} addon_draft;

static inline addon_draft draft(size_t most) { return (addon_draft){addon_new(most, 1), 0}; }

static inline void add(addon_draft *to, addon_text what) {
    addon_copy(to->at + to->length, what.at, what.length);
    to->length += what.length;
}

static inline addon_text text_of(addon_draft from) { return (addon_text){from.at, from.length}; }

/* The text with `with` for what stands between `from` and `to`. */
static inline addon_text put(addon_text text, size_t from, size_t to, addon_text with) {
    addon_draft fresh = draft(text.length + with.length);
    add(&fresh, piece(text, 0, from));
    add(&fresh, with);
    add(&fresh, piece(text, to, text.length));
    return text_of(fresh);
}

/* Decisions. */

static inline addon_decision unchanged(void) { return (addon_decision){.tag = UNCHANGED}; }

static inline addon_decision changed(addon_text text) { return (addon_decision){CHANGED, text}; }

static inline addon_decision stopped(addon_text why) { return (addon_decision){STOPPED, why}; }

/* Every `before` becomes `after`; unchanged where there is none. */
static inline addon_decision replaced(addon_text text, addon_text before, addon_text after) {
    size_t at = find(text, before);
    if (at == text.length) return unchanged();
    for (; at < text.length; at = find_from(text, at + after.length, before))
        text = put(text, at, at + before.length, after);
    return changed(text);
}

#endif
