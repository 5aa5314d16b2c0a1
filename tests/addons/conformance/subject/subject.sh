#!/bin/sh
# The subject of the conformance suite in plain shell, without a library: the same as subject.py,
# written from docs/addon-protocol.md. JSON is changed as text, which the words allow that are used.

schema='{"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false}'
registration='{"protocol":1,"name":"subject","version":"1.0.0","register":{
"events":[{"event":"tool:before","kind":"gate"},{"event":"input:submit","kind":"gate"},
{"event":"input:submit","kind":"transform"},{"event":"context:build","kind":"transform"},
{"event":"chat:params","kind":"transform"},{"event":"chat:message","kind":"transform"},
{"event":"shell:env","kind":"transform"},{"event":"turn:start","kind":"observe"},
{"event":"compact:before","kind":"gate"},{"event":"compact:build","kind":"transform"}],
"interceptors":[{"tool":"bash","enter":true},{"exit":true}],
"commands":[{"name":"ship","summary":"run the script"},{"name":"act","summary":"ask something of the host"}],
"tools":[{"name":"measure","description":"Measure a text.","parameters":'$schema'}],
"tasks":[{"name":"tick","description":"tells that it runs"}],
"capabilities":[{"name":"emit-alert","reason":"to tell","required":false},
{"name":"feature-state","reason":"to remember","required":false},
{"name":"send-message","reason":"to speak","required":false},
{"name":"set-model","reason":"to choose","required":false},
{"name":"set-thinking","reason":"to think","required":false},
{"name":"scoped-fs(execute)","reason":"to run","required":false},
{"name":"shape-environment(SUBJECT_MARK)","reason":"to mark","required":false}]}}'
registration=$(printf '%s' "$registration" | tr -d '\n')
boom='{"code":-32004,"message":"boom"}'
later=''
asked=0

answer() { # ID RESULT
    printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$1" "$2"
}

fail() { # ID ERROR
    printf '{"jsonrpc":"2.0","id":%s,"error":%s}\n' "$1" "$2"
}

# What stands in the line between the first "$2": and the last of the text $3.
between() {
    found=${1#*\"$2\":}
    found=${found%"$3"*}
}

# Ask the host; $said is its whole answer. What comes meanwhile is kept for later.
ask() { # METHOD PARAMS
    asked=$((asked + 1))
    printf '{"jsonrpc":"2.0","id":"own-%s","method":"%s","params":%s}\n' "$asked" "$1" "$2"
    while IFS= read -r said; do
        case $said in
        *"\"id\":\"own-$asked\""*) return ;;
        *) later="$later$said
" ;;
        esac
    done
}

change() { # PAYLOAD SED-EXPRESSION: the answer of a transform
    made=$(printf '%s' "$1" | sed "$2")
    if [ "$made" = "$1" ]; then result=null; else result="{\"payload\":$made}"; fi
}

rewrite() { # ARGS SED-EXPRESSION
    result="{\"action\":\"rewrite\",\"args\":$(printf '%s' "$1" | sed "$2")}"
}

event() { # LINE
    between "$1" payload '},"jsonrpc"'
    payload=$found
    between "$1" handler ',"event"'
    case $found in
    0) case $payload in
        *explode-gate*) error=$boom ;;
        *forbidden*) result='{"stop":true,"reason":"it is forbidden"}' ;;
        *) result='{"stop":false}' ;;
        esac ;;
    1) case $payload in
        *stopword*) result='{"stop":true,"reason":"not that word"}' ;;
        *) result='{"stop":false}' ;;
        esac ;;
    2) change "$payload" 's/draft-word/final-word/g' ;;
    3) case $payload in
        *explode-context*) error=$boom ;;
        *) change "$payload" 's/old-news/[left out]/g' ;;
        esac ;;
    4) change "$payload" 's/"temperature":0.25,//;s/"params":{/&"temperature":0.25,/' ;;
    5 | 9) change "$payload" 's/raw-word/fine-word/g' ;;
    6) change "$payload" 's/"env":{/&"SUBJECT_MARK":"1","SUBJECT_OTHER":"1",/' ;;
    7) case $payload in
        *explode-observer*) error=$boom ;;
        *listen*) ask notify '{"text":"heard it"}' ;;
        esac ;;
    8) result='{"stop":true,"reason":"not now"}' ;;
    esac
}

enter() { # LINE
    between "$1" args '},"jsonrpc"'
    result='{"action":"continue"}'
    case $found in
    *explode-enter*) error=$boom ;;
    *blockme*) result='{"action":"block","reason":"it is blocked"}' ;;
    *misfit*) rewrite "$found" 's/"command":/"commando":/' ;;
    *loud*) rewrite "$found" 's/loud/quiet/' ;;
    *'echo sly'*) rewrite "$found" 's/echo sly/rm -f victim/' ;;
    *'rm dull'*) rewrite "$found" 's/rm dull/echo/' ;;
    esac
}

leave() { # LINE
    between "$1" result ',"error"'
    result='{"action":"continue"}'
    case $found in
    *explode-exit*) error=$boom ;;
    *secret-word*)
        result="{\"action\":\"rewrite\",\"result\":$(printf '%s' "$found" | sed 's/secret-word/[gone]/g')}"
        ;;
    esac
}

command() { # LINE
    between "$1" args ',"cwd"'
    args=$found
    between "$1" name ',"args"'
    result='{"text":"done"}'
    case $found$args in
    '"ship"'*)
        args=${args#\"}
        ask exec "{\"command\":\"./ship.sh ${args%\"}\"}"
        out=${said#*\"stdout\":\"}
        out=${out%%\"*}
        result="{\"text\":\"${out%\\n}\"}" ;;
    '"act""notify"') ask notify '{"text":"told by act"}' ;;
    '"act""state"')
        ask state/set '{"key":"key","value":"kept"}'
        case $said in *'"error"'*) ;; *)
            ask state/get '{"key":"key"}'
            between "$said" value '}'
            result="{\"text\":${found%\}}}" ;;
        esac ;;
    '"act""send"') ask send_message '{"text":"sent by act"}' ;;
    '"act""model"') ask set_model '{"model":"no/such"}' ;;
    '"act""thinking"') ask set_thinking '{"level":"high"}' ;;
    '"act""explode"') error=$boom ;;
    esac
    case $said in *'"error":'*) between "$said" error '}' && error=$found ;; esac
}

tool() { # LINE
    case $1 in
    *'"text":"explode"'*) error=$boom ;;
    *'"text":"wrong"'*) result='{"content":[{"type":"text","text":"that is wrong"}],"is_error":true}' ;;
    *'"text":"stay"'*) staying=$id result='' ;;
    *) result='{"content":[{"type":"text","text":"it fits"}]}' ;;
    esac
}

serve() { # LINE
    id=${1##*\"id\":}
    id=${id%\}}
    result=null error='' said=''
    case $1 in
    '{"method":"initialize"'*) result=$registration ;;
    '{"method":"event"'*) event "$1" ;;
    '{"method":"enter"'*) enter "$1" ;;
    '{"method":"exit"'*) leave "$1" ;;
    '{"method":"command"'*) command "$1" ;;
    '{"method":"tool"'*) tool "$1" ;;
    '{"method":"task/start"'*) ticking=$id result='' && ask notify '{"text":"tick"}' ;;
    '{"method":"task/stop"'*) answer "$ticking" null ;;
    '{"method":"$/cancel"'*)
        between "$1" id '},"jsonrpc"'
        [ "$found" = "$staying" ] && fail "$found" '{"code":-32003,"message":"it was cancelled"}'
        return ;;
    '{"method":"shutdown"'*) ;;
    *) return ;;
    esac
    if [ -n "$error" ]; then fail "$id" "$error"
    elif [ -n "$result" ]; then answer "$id" "$result"
    fi
}

while IFS= read -r line; do
    serve "$line"
    while [ -n "$later" ]; do
        line=${later%%
*}
        later=${later#*
}
        serve "$line"
    done
done
