/*
 * How a device joins, commits, loses its link, resumes, takes over and lives through restarts of the relay, as a model
 * for the checker spin. `Tools/checks/model` runs it; the rules are those of SPEC.md.
 *
 * One call, two devices of two people, two connections each: the client may open the second while the relay has not
 * noticed the end of the first, and what it had sent on the first is still unread. Connections are streams: nothing is
 * reordered, but a cut loses all that is on its way to the client. The state of the call is one field per device:
 * 0 absent, 1 joined, 1 + n after its command n. The disk keeps a state some time after the commit, or never.
 *
 * -DSYNC      output waits until the disk has reached it (else it does not wait)
 * -DBREAK_... takes one rule out; the checker must then find a violation.
 */

#define DEVICES 2
#define CONNECTIONS 4            /* of device d: 2d and 2d + 1 */
#define NONE 255
#define SAME 7                   /* in a difference: the field has not changed */
#define POSITIONS 16             /* seqs 0..15 */
#define EPOCHS 3

#ifndef CLIENTS
#define CLIENTS 2
#endif
#ifndef COMMANDS
#define COMMANDS 1               /* of the first device; the second only watches, joins and leaves */
#endif
#ifndef CUTS
#define CUTS 1                   /* of each client */
#endif
#ifndef CRASHES
#define CRASHES 1
#endif
#ifndef RESTARTS
#define RESTARTS 0               /* planned: all is kept, and the epoch goes on */
#endif
#ifndef EXPIRIES
#define EXPIRIES 1
#endif

mtype = { JOIN, COMMAND, JOINED, SNAPSHOT, DELTA, ACK };

/* kind, incarnation (the secret), epoch, seq, op */
chan up[CONNECTIONS] = [2] of { mtype, byte, byte, byte, byte };
/* kind, epoch, seq; from epoch, from seq; values; incarnation; op */
chan down[CONNECTIONS] = [3] of { mtype, byte, byte, byte, byte, byte, byte, byte, byte };

/* A connection as its client sees it: open until the client or the relay's end closes it. */
bool isOpen[CONNECTIONS];

/* ---- The relay ---- */
byte epoch = 1;
byte seq;
byte value[DEVICES];
byte version[DEVICES];           /* the seq of the field's last change */
byte incarnation[DEVICES];       /* of the present or last one */
byte lastOp[DEVICES];
byte current[DEVICES] = NONE;    /* the connection of the current attachment; NONE is reconnecting, or absent */
bool isAttached[CONNECTIONS];
byte holds[CONNECTIONS];         /* the incarnation of the connection's attachment */
byte joinedAt[CONNECTIONS];      /* the seq of its join */
bool owesJoined[CONNECTIONS];
byte cursorEpoch[CONNECTIONS];   /* with cursor: the position written last; epoch 0 is none */
byte cursor[CONNECTIONS];
bool owesAck[CONNECTIONS];
byte sharedThrough[EPOCHS];      /* of an older epoch: the seq up to which its positions are still true */

/* ---- The disk ---- */
byte keptSeq;
byte keptValue[DEVICES];
byte keptVersion[DEVICES];
byte keptIncarnation[DEVICES];
byte keptLastOp[DEVICES];

/* ---- The clients ---- */
byte myEpoch[DEVICES];
byte mySeq[DEVICES];
byte mine0[DEVICES];
byte mine1[DEVICES];
byte mySecret[DEVICES];
byte myOp[DEVICES];              /* the last op given */
byte myAck[DEVICES];             /* the last op answered */
byte myConnection[DEVICES] = NONE;
bool isWhole[DEVICES];           /* joined, and the copy has reached the join */
byte joinPosition[DEVICES];

/* ---- What nobody in the protocol knows: the truth, for the assertions ---- */
byte truth[48];                  /* EPOCHS * POSITIONS: 1 + 4 * value[0] + value[1]; 0: never was */
byte timesApplied[4];            /* of the first device's op n in its present incarnation */

byte crashes;
byte restarts;
byte expiries;

/* The version of a field in what is written. */
#define CHANGED(d) (HEAD == seq -> version[d] : keptVersion[d])

#define STATE (1 + 4 * value[0] + value[1])
#define AT(e, s) truth[(e) * POSITIONS + (s)]

#ifdef SYNC
#ifdef BREAK_ACK_BEFORE_DURABLE
#define HEAD seq
#else
#define HEAD keptSeq
#endif
#else
#define HEAD seq
#endif

/* One commit: the next seq, which no state had before. */
inline commit(d, v) {
    seq++;
    value[d] = v;
    version[d] = seq;
    assert(AT(epoch, seq) == 0);            /* a position is given once */
    AT(epoch, seq) = STATE
}

/* Whether a position is one of this relay's, or of an older epoch as far as that is shared. */
#ifdef BREAK_POSITION_OF_ANOTHER_EPOCH
#define KNOWN(e, s) ((s) <= seq)
#else
#define KNOWN(e, s) (((e) == epoch && (s) <= seq) || ((e) > 0 && (e) < epoch && (s) <= sharedThrough[e]))
#endif

/* Accepts a join. Its answer is written when the disk has the commit that it made, like any other frame. */
inline attach(c, d, e, s) {
    if
    :: current[d] != NONE && current[d] != c ->
        isAttached[current[d]] = false;     /* replaced: the old connection is closed, its input is dropped */
        isOpen[current[d]] = false
    :: else
    fi;
    current[d] = c;
    isAttached[c] = true;
    holds[c] = incarnation[d];
    owesAck[c] = false;
    joinedAt[c] = seq;
    if
    :: e != 0 && KNOWN(e, s) -> cursorEpoch[c] = e; cursor[c] = s   /* a difference follows */
    :: else -> cursorEpoch[c] = 0; cursor[c] = 0                    /* a snapshot follows */
    fi;
    owesJoined[c] = true
}

/* Whether there is something to write to a connection, and room for it. */
#define DUE(c) (isAttached[c] && len(down[c]) < 2 && HEAD >= joinedAt[c] && \
    (owesJoined[c] || cursorEpoch[c] != epoch || cursor[c] < HEAD))

proctype Relay() {
    byte c, d, secret, e, s, op;
    mtype kind;
end:
    do
    /* Input of one connection. What comes from one that is not the current attachment counts for nothing. */
    :: atomic {
        (len(up[0]) > 0) || (len(up[1]) > 0) || (len(up[2]) > 0) || (len(up[3]) > 0) ->
        if
        :: len(up[0]) > 0 -> c = 0
        :: len(up[1]) > 0 -> c = 1
        :: len(up[2]) > 0 -> c = 2
        :: len(up[3]) > 0 -> c = 3
        fi;
        d = c / 2;
        up[c]?kind(secret, e, s, op);
        if
        :: kind == JOIN && !isAttached[c] && isOpen[c] ->
            if
            :: secret != 0 && secret == incarnation[d] && value[d] != 0 ->
                attach(c, d, e, s)          /* resumed */
#ifdef BREAK_LATE_SECRET
            :: secret != 0 && secret == incarnation[d] && value[d] == 0 ->
                attach(c, d, e, s)
#endif
            :: else ->
                /* fresh, or a takeover of who is present: the facts are new, and so is the incarnation */
                incarnation[d]++;
                lastOp[d] = 0;
                if
                :: d == 0 -> timesApplied[1] = 0; timesApplied[2] = 0
                :: else
                fi;
                commit(d, 1);
                attach(c, d, e, s)
            fi
        :: kind == COMMAND && isAttached[c] && current[d] == c ->
            if
            :: op > lastOp[d] ->
                lastOp[d] = op;
                if
                :: d == 0 ->
                    timesApplied[op]++;
                    assert(timesApplied[op] == 1)   /* applied once, however often it is sent */
                :: else
                fi;
                commit(d, 1 + op)
            :: else
            fi;
            owesAck[c] = true
        :: else
        fi;
        c = 0; d = 0; secret = 0; e = 0; s = 0; op = 0; kind = 0
       }

    /* Output to one connection: the answer to its join, then a snapshot or the difference to the head. */
    :: atomic {
        DUE(0) || DUE(1) || DUE(2) || DUE(3) ->
        if
        :: DUE(0) -> c = 0
        :: DUE(1) -> c = 1
        :: DUE(2) -> c = 2
        :: DUE(3) -> c = 3
        fi;
        d = c / 2;
        if
        :: owesJoined[c] ->
            owesJoined[c] = false;
            down[c]!JOINED(0, 0, 0, joinedAt[c], 0, 0, incarnation[d], lastOp[d])
        :: else
        fi;
        /* What is written is the state at HEAD, which under SYNC is the disk's. */
        e = (AT(epoch, HEAD) - 1) / 4;
        s = (AT(epoch, HEAD) - 1) % 4;
        if
        :: cursorEpoch[c] == 0 -> down[c]!SNAPSHOT(epoch, HEAD, 0, 0, e, s, 0, 0)
        :: cursorEpoch[c] != 0 && (cursorEpoch[c] != epoch || cursor[c] < HEAD) ->
            if
            :: CHANGED(0) <= cursor[c] -> e = SAME
            :: else
            fi;
            if
            :: CHANGED(1) <= cursor[c] -> s = SAME
            :: else
            fi;
            down[c]!DELTA(epoch, HEAD, cursorEpoch[c], cursor[c], e, s, 0, 0)
        :: else
        fi;
        cursorEpoch[c] = epoch;
        cursor[c] = HEAD;
        c = 0; d = 0; e = 0; s = 0
       }

    /* An answer, after the frame that takes its receiver to the commit. */
    :: atomic {
        owesAck[0] && isAttached[0] && !owesJoined[0] && cursor[0] == seq && len(down[0]) < 3 ->
        down[0]!ACK(0, 0, 0, 0, 0, 0, 0, lastOp[0]); owesAck[0] = false
       }
    :: atomic {
        owesAck[1] && isAttached[1] && !owesJoined[1] && cursor[1] == seq && len(down[1]) < 3 ->
        down[1]!ACK(0, 0, 0, 0, 0, 0, 0, lastOp[0]); owesAck[1] = false
       }

    /* The end of a connection is noticed; it ends only the attachment that it carried. */
    :: atomic {
        (isAttached[0] && !isOpen[0]) || (isAttached[1] && !isOpen[1]) ||
        (isAttached[2] && !isOpen[2]) || (isAttached[3] && !isOpen[3]) ||
        (holds[0] != 0 && !isOpen[0]) || (holds[1] != 0 && !isOpen[1]) ||
        (holds[2] != 0 && !isOpen[2]) || (holds[3] != 0 && !isOpen[3]) ->
        if
        :: holds[0] != 0 && !isOpen[0] -> c = 0
        :: holds[1] != 0 && !isOpen[1] -> c = 1
        :: holds[2] != 0 && !isOpen[2] -> c = 2
        :: holds[3] != 0 && !isOpen[3] -> c = 3
        fi;
        d = c / 2;
#ifdef BREAK_GUARD_BY_INCARNATION
        if
        :: holds[c] == incarnation[d] -> current[d] = NONE
        :: else
        fi;
#else
        if
        :: current[d] == c -> current[d] = NONE
        :: else
        fi;
#endif
        isAttached[c] = false;
        holds[c] = 0; owesAck[c] = false; owesJoined[c] = false;
        joinedAt[c] = 0; cursorEpoch[c] = 0; cursor[c] = 0;
        c = 0; d = 0
       }

    /* A device that did not come back within its grace leaves. */
    :: atomic {
        expiries < EXPIRIES && ((value[0] != 0 && current[0] == NONE) || (value[1] != 0 && current[1] == NONE)) ->
        expiries++;
        if
        :: value[0] != 0 && current[0] == NONE -> d = 0
        :: value[1] != 0 && current[1] == NONE -> d = 1
        fi;
        /* Nobody leaves over whose head a link lives. */
        assert(!(isAttached[2 * d] && isOpen[2 * d] && holds[2 * d] == incarnation[d]));
        assert(!(isAttached[2 * d + 1] && isOpen[2 * d + 1] && holds[2 * d + 1] == incarnation[d]));
        commit(d, 0);
        d = 0
       }
    od
}

/* Everything up to the head is on the disk. */
inline keep() {
    keptSeq = seq;
    keptValue[0] = value[0]; keptValue[1] = value[1];
    keptVersion[0] = version[0]; keptVersion[1] = version[1];
    keptIncarnation[0] = incarnation[0]; keptIncarnation[1] = incarnation[1];
    keptLastOp[0] = lastOp[0]; keptLastOp[1] = lastOp[1]
}

/* The process is gone, and its connections with it. */
inline fall() {
    i = 0;
    do
    :: i < CONNECTIONS ->
        isOpen[i] = false; isAttached[i] = false; holds[i] = 0; owesAck[i] = false; owesJoined[i] = false;
        joinedAt[i] = 0; cursorEpoch[i] = 0; cursor[i] = 0;
        do
        :: len(up[i]) > 0 -> up[i]?_(_, _, _, _)
        :: else -> break
        od;
        i++
    :: else -> break
    od;
    i = 0;
    current[0] = NONE; current[1] = NONE
}

/* What the world does to the relay. */
proctype World() {
    byte i;
end:
    do
    :: atomic { keptSeq != seq -> keep() }
    :: atomic {
        crashes < CRASHES && epoch + 1 < EPOCHS ->
        crashes++;
        fall();
        value[0] = keptValue[0]; value[1] = keptValue[1];
        version[0] = keptVersion[0]; version[1] = keptVersion[1];
        incarnation[0] = keptIncarnation[0]; incarnation[1] = keptIncarnation[1];
        lastOp[0] = keptLastOp[0]; lastOp[1] = keptLastOp[1];
#ifdef BREAK_OP_WINDOW_LOST
        lastOp[0] = 0; lastOp[1] = 0;
#endif
        /* What was lost may be done again; what was kept may not. */
        if
        :: lastOp[0] < 1 && !(keptLastOp[0] >= 1) -> timesApplied[1] = 0
        :: else
        fi;
        if
        :: lastOp[0] < 2 && !(keptLastOp[0] >= 2) -> timesApplied[2] = 0
        :: else
        fi;
#ifndef BREAK_EPOCH_KEPT
        sharedThrough[epoch] = keptSeq;
        i = 0;
        do
        :: i <= keptSeq -> AT(epoch + 1, i) = AT(epoch, i); i++
        :: else -> break
        od;
        i = 0;
        epoch++;
#endif
        seq = keptSeq
       }
    :: atomic { restarts < RESTARTS -> restarts++; keep(); fall() }
    od
}

/* What the copy shows must be what was true at that position. */
inline look(d) {
    assert(AT(myEpoch[d], mySeq[d]) == 1 + 4 * mine0[d] + mine1[d])
}

proctype Client(byte d) {
    byte c, e, s, fe, fs, v0, v1, secret, op;
    byte cuts;
    mtype kind;
end:
    do
    /* Opens a connection, the other one than before, and joins: with what it has. */
    :: atomic {
        myConnection[d] == NONE && !isOpen[2 * d] && len(up[2 * d]) == 0 && holds[2 * d] == 0 ->
        c = 2 * d; goto opens
       }
    :: atomic {
        myConnection[d] == NONE && !isOpen[2 * d + 1] && len(up[2 * d + 1]) == 0 && holds[2 * d + 1] == 0 ->
        c = 2 * d + 1; goto opens
       }

    /* The first device gives commands; each is sent again until it is answered. */
    :: atomic {
        d == 0 && isWhole[d] && myConnection[d] != NONE && myOp[d] == myAck[d] && myOp[d] < COMMANDS &&
            isOpen[myConnection[d]] && len(up[myConnection[d]]) < 2 ->
        myOp[d]++;
        up[myConnection[d]]!COMMAND(0, 0, 0, myOp[d])
       }

    /* Cuts the link, or finds it cut: what was on its way here is lost. */
    :: atomic {
        myConnection[d] != NONE && (cuts < CUTS || !isOpen[myConnection[d]]) ->
        c = myConnection[d];
        if
        :: isOpen[c] -> cuts++
        :: else
        fi;
        isOpen[c] = false;
        myConnection[d] = NONE;
        isWhole[d] = false;
        c = 0
       }

    :: atomic {
        myConnection[d] != NONE && isOpen[myConnection[d]] && len(down[myConnection[d]]) > 0 ->
        down[myConnection[d]]?kind(e, s, fe, fs, v0, v1, secret, op);
        if
        :: kind == JOINED ->
            if
            :: secret != mySecret[d] ->
                /* Another incarnation: what was pending is void. */
                mySecret[d] = secret; myOp[d] = 0; myAck[d] = 0
            :: else ->
                /* Already done before the loss? The relay has kept it. Else it is sent again. */
                if
                :: op > myAck[d] -> myAck[d] = op
                :: else
                fi;
                if
                :: myOp[d] > op && len(up[myConnection[d]]) < 2 -> up[myConnection[d]]!COMMAND(0, 0, 0, myOp[d])
                :: else
                fi
            fi;
            joinPosition[d] = fs
        :: kind == SNAPSHOT ->
            assert(e > myEpoch[d] || s >= mySeq[d]);    /* back only with a higher epoch */
            myEpoch[d] = e; mySeq[d] = s; mine0[d] = v0; mine1[d] = v1;
            look(d)
        :: kind == DELTA ->
            if
            :: fe == myEpoch[d] && fs <= mySeq[d] && !(e == myEpoch[d] && s <= mySeq[d]) ->
                myEpoch[d] = e; mySeq[d] = s;
                mine0[d] = (v0 == SAME -> mine0[d] : v0);
                mine1[d] = (v1 == SAME -> mine1[d] : v1);
                look(d)
            :: else
            fi
        :: kind == ACK ->
            if
            :: op > myAck[d] -> myAck[d] = op
            :: else
            fi
        fi;
        if
        :: mySeq[d] >= joinPosition[d] && joinPosition[d] != 0 -> isWhole[d] = true
        :: else
        fi;
        e = 0; s = 0; fe = 0; fs = 0; v0 = 0; v1 = 0; secret = 0; op = 0; kind = 0
       }
    od;

opens:
    atomic {
        /* A new stream begins empty, whatever was written to the one before. */
        do
        :: len(down[c]) > 0 -> down[c]?_(_, _, _, _, _, _, _, _)
        :: else -> break
        od;
        isOpen[c] = true;
        myConnection[d] = c;
        joinPosition[d] = 0;
        up[c]!JOIN(mySecret[d], myEpoch[d], mySeq[d], 0);
        c = 0;
        goto end
    }
}

#define PROMISED ((myAck[0] == 0) || (mySecret[0] != incarnation[0]) || (value[0] == 0) || (value[0] >= 1 + myAck[0]))

/* Looks whenever nothing else can move, and, for what must hold at every moment, at any moment. */
proctype Judge() {
end:
    do
#ifdef SYNC
    /* What was acknowledged is in the state, whatever fell in between. */
    :: atomic { !PROMISED -> assert(false) }
#endif
    /* At rest who has a link has the relay's state. */
    :: timeout ->
        assert(myConnection[0] == NONE || (myEpoch[0] == epoch && mySeq[0] == seq));
        assert(myConnection[1] == NONE || (myEpoch[1] == epoch && mySeq[1] == seq));
        assert(myConnection[0] == NONE || myOp[0] == myAck[0]);
        /* Who is in, is in: nobody believes to have joined whom no other sees. */
        assert(myConnection[0] == NONE || value[0] != 0);
        assert(myConnection[1] == NONE || value[1] != 0);
        break
    od
}

init {
    atomic {
        AT(1, 0) = STATE;
        run Relay();
        run World();
        run Client(0);
#if CLIENTS > 1
        run Client(1);
#endif
        run Judge()
    }
}
