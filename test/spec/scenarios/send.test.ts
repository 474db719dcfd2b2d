// @module-tag process
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { addPostOffice, type PostOffice, postOfficeOn } from '../../support/gateways/post-office.ts'
import { type AgentRun, startAgent } from '../../support/run-agent.ts'
import { runHere } from '../../support/test-cli.ts'
import { openTestHome, type TestHome } from '../../support/test-home.ts'
import { proves } from '../proves.ts'

let home: TestHome
let office: PostOffice
beforeEach(() => {
  home = openTestHome()
  office = addPostOffice(home)
  home.write('config.yaml', postOfficeOn)
  home.write('.env', 'POST_TOKEN=right-send\nPOST_HOME_CHANNEL=ann\nPOST_ALLOWED_USERS=ann\n')
})
afterEach(() => home[Symbol.dispose]())

const send = (...words: string[]): Promise<AgentRun> => runHere(home, ['send', ...words])
const png = Buffer.from('89504e470d0a1a0a00', 'hex')

/** A file where commands are run. */
function put(name: string, content: string | Buffer): string {
  const path = join(home.work, name)
  writeFileSync(path, content)
  return path
}

test('the words, what is piped in, and a long text are sent to the home channel, as they are written', async () => {
  expect(await send('post', 'Hello', '**ann**.')).toMatchObject({ code: 0, out: 'Sent to post:ann.\n', note: '' })
  expect(await runHere(home, ['send', 'post:bob'], { input: 'from a *pipe*\n' })).toMatchObject({ code: 0 })
  expect(office.posted().map(({ conversation, text }) => [conversation, text])).toEqual([
    ['ann', 'Hello **ann**.'],
    ['bob', 'from a *pipe*'],
  ])
  const long = await send('post', 'word '.repeat(40), '--json')
  expect(JSON.parse(long.out)).toMatchObject({
    ...{ platform: 'post', conversation: 'ann', state: 'sent' },
    parts: [{ state: 'sent' }, {}, {}],
  })
  expect(office.posted()).toHaveLength(5)
  expect(await send('local', 'only here')).toMatchObject({ code: 0, out: 'only here\n' })
})

proves('cli.send.file', '--file takes the body from a text file', async () => {
  put('letter.txt', '\uFEFFDear Ann,\nGrüße')
  expect(await send('post', '--file', 'letter.txt')).toMatchObject({ code: 0 })
  expect(office.posted()).toMatchObject([{ text: 'Dear Ann,\nGrüße', media: [] }])
  expect(await send('post', 'words', '--file', 'letter.txt')).toMatchObject({ code: 2, note: expect.stringContaining('twice') })
  expect(await send('post', '--file', 'gone.txt')).toMatchObject({ code: 1, note: expect.stringContaining('There is no file gone.txt.') })
})

proves(['error.send-file', 'cli.send.file'], '--file with what is no text is a usage error that shows the directive', async () => {
  for (const [name, content] of [
    ['rose.png', png],
    ['nul.txt', 'a\0b'],
    ['latin.txt', Buffer.from('Gr\xfc\xdfe', 'latin1')],
  ] as const) {
    const path = put(name, content)
    const { code, out, note } = await send('post', '--file', name)
    expect([code, out]).toEqual([2, ''])
    expect(note).toContain(`${name} is not text. --file is for the words of a message`)
    expect(note).toContain(`agent send post "MEDIA:${path}"`)
  }
  expect(office.posted()).toEqual([])
  expect(await runHere(home, ['send', 'post'], { input: 'a\0b' })).toMatchObject({ code: 2, note: expect.stringContaining('MEDIA:') })
})

proves(['cli.send.media', 'cli.send.as-document'], 'MEDIA: sends a file along, and [[as_document]] as a document', async () => {
  const rose = put('rose.png', png)
  expect(await send('post', `Look.\nMEDIA:${rose}`)).toMatchObject({ code: 0 })
  expect(await send('post', '[[as_document]] The original.\nMEDIA:rose.png')).toMatchObject({ code: 0 })
  const [shown, attached] = office.posted()
  const content = png.toString('latin1')
  expect(shown).toMatchObject({ text: 'Look.', media: [{ kind: 'image', mime: 'image/png', content }] })
  expect(attached).toMatchObject({ text: 'The original.', media: [{ kind: 'document', content }] })
  expect(await send('post', 'MEDIA:/none.png')).toMatchObject({ code: 1, note: expect.stringContaining('There is no file /none.png.') })
  put('fake.png', 'no image')
  expect(await send('post', 'MEDIA:fake.png')).toMatchObject({ code: 1, note: expect.stringContaining('no PNG') })
  expect(office.posted()).toHaveLength(2)
})

test('what is refused or lost ends with 1 and says what to do', async () => {
  expect(await send('post', 'refuse this')).toMatchObject({ code: 1, out: '', note: expect.stringMatching(/Post refused.*send it again/) })
  const lost = await send('post', 'lose this', '--json')
  expect([lost.code, JSON.parse(lost.out).state]).toEqual([1, 'unknown'])
  const status = (await runHere(home, ['gateway', 'status'])).out
  expect(status).toMatch(/post ann .*lose this\n.*resend NUMBER/)
  const [, number = ''] = /^ {2}(\d+) {2}post ann /m.exec(status) ?? []
  const settle = (seq: string, fate: string) => runHere(home, ['gateway', 'settle', seq, fate])
  expect(await settle(number, 'maybe')).toMatchObject({ code: 2, note: expect.stringContaining('neither arrived nor lost') })
  expect(await settle('999', 'lost')).toMatchObject({ code: 2, note: expect.stringContaining('no answer 999 of unknown fate') })
  expect(await settle(number, 'lost')).toMatchObject({ code: 0, out: expect.stringContaining('given up') })
  expect((await runHere(home, ['gateway', 'status'])).out).not.toContain('resend NUMBER')
  expect(await send('post', '')).toMatchObject({ code: 2, note: expect.stringContaining('nothing to say') })
})

test('Ctrl-C while it waits ends it with 130; who comes next finds out whether what was under way arrived', async () => {
  const sending = startAgent(home, ['send', 'post', 'hang on'])
  await sending.heard(/Waiting for Post …/)
  sending.child.kill('SIGINT')
  expect(await sending.ended).toMatchObject({ code: 130, note: expect.stringContaining('stays in the queue') })
  const { queues, unknown } = JSON.parse((await runHere(home, ['gateway', 'status', '--json'])).out)
  expect([queues, unknown]).toEqual([[{ platform: 'post', inbox: 0, outbox: 1, unknown: 0 }], []])
})

test('a platform that cannot be used says why, and nothing is queued', async () => {
  expect(await send('pots', 'x')).toMatchObject({ code: 1, note: expect.stringContaining('Did you mean "post"?') })
  home.write('.env', 'POST_TOKEN=wrong-send\n')
  expect(await send('post', 'x')).toMatchObject({ code: 1, note: expect.stringContaining('POST_HOME_CHANNEL') })
  expect(await send('post:ann', 'x')).toMatchObject({ code: 1, note: expect.stringContaining('Post refused the credentials') })
  home.write('.env', '')
  expect(await send('post:ann', 'x')).toMatchObject({ code: 1, note: expect.stringContaining('POST_TOKEN is not set') })
  expect(JSON.parse((await runHere(home, ['gateway', 'status', '--json'])).out).queues).toEqual([])
})

test('a running gateway sends, by names that it has seen or that the platform lists; its own queue goes first', async () => {
  office.know([
    { id: 'C1', kind: 'channel', name: '#garden' },
    { id: 'D7', kind: 'dm', text: 'stream 2 tokens' },
  ])
  expect(await send('post:C1', 'before', '--no-wait')).toMatchObject({ code: 0, out: expect.stringContaining('agent gateway start') })
  const gateway = startAgent(home, ['gateway', 'run'], { environment: { AGENT_INFERENCE_PROVIDER: 'offline' }, timeoutMs: 60_000 })
  try {
    await gateway.heard(/post: connected/)
    await expect.poll(() => office.posted().length, { timeout: 10_000 }).toBe(2)
    expect(await send('post:#garden', 'Hello garden.')).toMatchObject({ code: 0, out: 'Sent to post:C1 (#garden).\n' })
    expect(await send('post:ann', 'Hello Ann.')).toMatchObject({ code: 0, out: 'Sent to post:D7 (Ann).\n' })
    expect(await send('post:gardne', 'x')).toMatchObject({ code: 1, note: expect.stringContaining('Did you mean "garden"?') })
    expect(await send('post:C1', 'refuse')).toMatchObject({ code: 1, note: expect.stringContaining('Post refused') })
    const { conversations } = JSON.parse((await runHere(home, ['gateway', 'directory', 'post', '--json'])).out)
    expect(conversations).toMatchObject([
      { platform: 'post', id: 'D7', kind: 'dm', name: 'Ann', account: 'branch-1' },
      { platform: 'post', id: 'C1', kind: 'channel', name: '#garden', lastSeen: 0 },
    ])
    expect((await runHere(home, ['gateway', 'directory'])).out).toMatch(
      /post:D7 +Ann +dm +seen in the last hour\npost:C1 +#garden +channel +listed\n/,
    )
  } finally {
    gateway.child.kill()
    await gateway.ended
  }
  const texts = office.posted().filter(({ conversation }) => conversation === 'C1')
  expect(texts.map(({ text, account }) => [text, account])).toEqual([
    ['before', ''],
    ['Hello garden.', 'branch-1'],
  ])
}, 60_000)

/** Lets a gateway run until it knows what the platform lists. */
async function learn(...ids: readonly string[]): Promise<void> {
  const gateway = startAgent(home, ['gateway', 'run'], { environment: { AGENT_INFERENCE_PROVIDER: 'offline' }, timeoutMs: 60_000 })
  try {
    await gateway.heard(/post: connected/)
    const known = async (): Promise<string> => (await runHere(home, ['gateway', 'directory', 'post'])).out
    for (const id of ids) await expect.poll(known, { timeout: 10_000 }).toContain(id)
  } finally {
    gateway.child.kill()
    await gateway.ended
  }
}

test('a name that fits several conversations, or none, is refused, and nothing is queued', async () => {
  office.know([
    { id: 'C1', kind: 'channel', name: '#garden' },
    { id: 'C2', kind: 'channel', name: '#garage' },
  ])
  await learn('C1', 'C2')
  const several = /fits several.*(#garden \(channel, C1\), #garage \(channel, C2\)|#garage \(channel, C2\), #garden \(channel, C1\))/
  expect(await send('post:#gar', 'x')).toMatchObject({ code: 1, note: expect.stringMatching(several) })
  expect(await send('post:shed', 'x')).toMatchObject({
    code: 1,
    note: expect.stringMatching(/called "shed".*agent gateway directory post/),
  })
  expect(await send('post:shed', 'x', '--exact')).toMatchObject({ code: 1 })
  expect(office.posted()).toEqual([])
}, 60_000)

test('an id that is only like a known one is refused, and --exact takes it as it is written', async () => {
  office.know([{ id: 'mira', kind: 'dm' }])
  await learn('mira')
  expect(await send('post:mir', 'x')).toMatchObject({ code: 1, note: expect.stringMatching(/nothing was sent.*mira.*--exact/) })
  expect(office.posted()).toEqual([])
  expect(await send('post:mir', 'Hello.', '--exact')).toMatchObject({ code: 0, out: 'Sent to post:mir.\n' })
  expect(office.posted()).toMatchObject([{ conversation: 'mir', text: 'Hello.' }])
}, 60_000)

test('the answer to a message goes where the message says: the words of the agent, or its own as they are', async () => {
  office.know([
    { id: 'C1', kind: 'channel', name: '#garden' },
    { id: 'D1', kind: 'dm', text: 'stream 2 tokens', deliver: 'post:#garden' },
    { id: 'D2', kind: 'dm', text: '/help **me**', deliver: 'post:C1', verbatim: true },
    { id: 'D3', kind: 'dm', text: 'stream 1 tokens', deliver: 'post:#nowhere' },
  ])
  const gateway = startAgent(home, ['gateway', 'run'], { environment: { AGENT_INFERENCE_PROVIDER: 'offline' }, timeoutMs: 60_000 })
  try {
    await expect.poll(() => office.posted().length, { timeout: 15_000 }).toBe(4)
  } finally {
    gateway.child.kill()
    await gateway.ended
  }
  const said = (where: string): string =>
    office
      .posted()
      .filter(({ conversation }) => conversation === where)
      .map(({ text }) => text)
      .join(' ')
  expect(said('C1').split(' ').sort()).toEqual(['**me**', '/help', 'offline-1', 'offline-2'])
  expect(said('D3')).toMatch(/^offline-1\s+\(It could not be delivered to post:#nowhere: No conversation/)
}, 60_000)

test('a platform that has failed for good in the gateway is not waited for, and status says whom it needs', async () => {
  home.write('.env', 'POST_TOKEN=wrong-send\nPOST_ALLOWED_USERS=ann\n')
  const gateway = startAgent(home, ['gateway', 'run'], { environment: { AGENT_INFERENCE_PROVIDER: 'offline' }, timeoutMs: 60_000 })
  try {
    await gateway.heard(/post: fatal/)
    expect(await send('post:ann', 'later')).toMatchObject({ code: 1, note: expect.stringContaining('post is fatal in the gateway') })
    const status = JSON.parse((await runHere(home, ['gateway', 'status', '--json'])).out)
    expect(status).toMatchObject({ attention: ['post'], queues: [{ platform: 'post', outbox: 1 }] })
    expect((await runHere(home, ['gateway', 'status'])).out).toMatch(
      /post: fatal for .*, 1 to send\n.*PLATFORM_AUTH: .*\n.*gateway resume post/,
    )
  } finally {
    gateway.child.kill()
    await gateway.ended
  }
}, 60_000)
