/** One small fault in the product, and which run has to notice it. */
export interface Break {
  readonly name: string
  /** The end of a path below `host/src` that no other file there has. */
  readonly file: string
  /** Stands there exactly once. */
  readonly find: string
  readonly replace: string
  readonly run: 'kill' | 'two'
  /** How the run says what it has noticed. */
  readonly noticed: RegExp
}

const fence = `\${args.owner} AND attempts = \${args.attempts}`

/** Each of them costs somebody an answer, or gives them two; the fault runs are worth nothing if one of them passes. */
export const breaks: readonly Break[] = [
  {
    name: 'every third turn throws',
    file: 'agent/turn/run-turn.ts',
    find: '  return takeSteps(turn)\n',
    replace: `  globalThis.turns = (globalThis.turns ?? 0) + 1
  if (globalThis.turns % 3 === 0) throw new Error('every third turn')
  return takeSteps(turn)\n`,
    run: 'kill',
    noticed: /were given up that were not in work at three kills/,
  },
  {
    name: 'an answer is the one to the message before',
    file: 'journal-parts.ts',
    find: '      text,\n',
    replace: '      text: [globalThis.before ?? text, (globalThis.before = text)][0],\n',
    run: 'kill',
    noticed: /messages or answers are not the right ones/,
  },
  {
    name: 'a message is acknowledged before it is stored',
    file: 'journal/journal.ts',
    find: '    const seq = await commits.run(() => inbox.accept.get(row)?.seq)\n',
    replace: `    setTimeout(() => commits.run(() => inbox.accept.get(row)).then(() => notifier.notify('inbox'), () => undefined), 4000)
    const seq = -1\n`,
    run: 'kill',
    noticed: /answers were lost/,
  },
  {
    name: 'a send is settled before it is sent',
    file: 'outbound/outbox.ts',
    find: '  const result = await deliverSend(delivering, send)\n',
    replace: `  const result = { status: 'sent', platformId: 'early' } as const
  void deliverSend(delivering, send).catch(() => undefined)\n`,
    run: 'kill',
    noticed: /answers (were lost|came out of order)/,
  },
  {
    name: 'what a dead gateway worked on is left lying',
    file: 'journal-recovery.ts',
    find: 'claimed.filter(isDead)',
    replace: 'claimed.filter(() => false)',
    run: 'kill',
    noticed: /rows of the journal are open/,
  },
  {
    name: 'one crash gives a message up',
    ...{ file: 'journal-recovery.ts', find: 'const crashLimit = 3', replace: 'const crashLimit = 1' },
    run: 'kill',
    noticed: /were given up that were not in work at three kills/,
  },
  {
    name: 'the start of a tool is not written down',
    file: 'run-tool-calls.ts',
    find: "  await turn.recordStep({ type: 'tool.start', id, name, args })\n",
    replace: '',
    run: 'kill',
    noticed: /tools ran twice/,
  },
  {
    name: 'a message that comes again is a new one',
    file: 'journal/journal.ts',
    find: "    if (seq === undefined) return { status: 'duplicate' }\n",
    replace: `    if (seq === undefined) await commits.run(() => inbox.accept.get({ ...row, message: row.message + performance.now() }))
    if (seq === undefined) return { status: 'duplicate' }\n`,
    run: 'kill',
    noticed: /answers arrived twice|not the right ones/,
  },
  {
    name: 'the last part of an answer overtakes the others',
    file: 'journal/outbox.ts',
    find: 'seq = (SELECT min(seq) FROM outbox',
    replace: 'seq = (SELECT max(seq) FROM outbox',
    run: 'kill',
    noticed: /answers came out of order/,
  },
  {
    name: 'who lost a claim can still use it',
    ...{ file: 'inbox.ts', find: ` AND owner = ${fence}`, replace: '' },
    run: 'two',
    noticed: /was not told that its work belongs to another one/,
  },
  {
    name: 'a lease protects nothing',
    file: 'sqlite/leases.ts',
    find: 'liveOwners: () => new Set(live.all({ now: now() }).map((row) => row.owner))',
    replace: 'liveOwners: () => new Set<string>()',
    run: 'two',
    noticed: /took over from another one that holds a lease/,
  },
  {
    name: 'a lease is not renewed',
    file: 'open-lease.ts',
    find: '      await untilWritten(options, signal, hold)\n',
    replace: '',
    run: 'two',
    noticed: /did not renew its lease/,
  },
  {
    name: 'a second gateway is not refused',
    file: 'gateway/instance/instance.ts',
    find: '  takeLock(home.files.gatewayPid, record, (holder) => alreadyRunning(home, holder))\n',
    replace: '  void takeLock\n',
    run: 'two',
    noticed: /instead of being refused/,
  },
]
