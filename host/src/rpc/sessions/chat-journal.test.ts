import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { identifyProcess } from '#gateway/process/process-identity.ts'
import { silentLog } from '#observe/silent-log.ts'
import { type ChatJournal, openChatJournal } from './chat-journal.ts'

const started = 1_700_000_000_000
const prompt = (id: string, ordinal: number) => ({ id, ordinal, input: [{ type: 'text' as const, text: `say ${id}` }] })

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'chats-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'chats')
}

function open(folder: string, now = started): ChatJournal {
  const clock = { now: () => now, sleep: () => Promise.resolve() }
  const journal = openChatJournal({ folder, isDurable: true, clock, log: silentLog })
  onTestFinished(journal.close)
  return journal
}

const say = (journal: ChatJournal, text: string): void => journal.hear('ses_1', { type: 'message.delta', text })

test('a process that ended at any moment leaves its prompts and the words since the last stored step', async () => {
  const folder = createFolder()
  const journal = open(folder)
  await journal.accept('ses_1', prompt('a', 4))
  await journal.accept('ses_1', prompt('b', 5))
  await journal.accept('ses_1', prompt('c', 6))
  journal.end('ses_1', 'c')
  journal.begin('ses_1', prompt('a', 4), 8)
  say(journal, 'I look. ')
  journal.hear('ses_1', { type: 'tool.start', id: 'x', name: 'echo', args: {}, preview: '' })
  say(journal, 'It is ')
  say(journal, 'öpen.')
  appendFileSync(join(folder, 'ses_1.jsonl'), '{"type":"said","te')
  expect(open(folder).left()).toEqual([
    {
      session: 'ses_1',
      prompts: [
        { ...prompt('a', 4), before: 8, said: 'It is öpen.' },
        { ...prompt('b', 5), before: undefined, said: '' },
      ],
    },
  ])
})

test('what is over is forgotten but for the ids, and what was settled does not come again', async () => {
  const folder = createFolder()
  const journal = open(folder)
  for (let n = 0; n < 25; n++) {
    await journal.accept('ses_1', prompt(`p${n}`, n))
    journal.begin('ses_1', prompt(`p${n}`, n), n)
    say(journal, 'some words')
    journal.end('ses_1', `p${n}`)
  }
  await journal.accept('ses_1', prompt('cut', 25))
  journal.close()
  const next = open(folder)
  expect(next.left()).toMatchObject([{ prompts: [{ id: 'cut' }] }])
  next.settle('ses_1', 'cut')
  expect(next.left()).toEqual([])
  expect([...next.accepted('ses_1')].at(-1)).toEqual(['cut', 25])
  expect(next.accepted('ses_1').has('p24')).toBe(true)
  expect(next.accepted('ses_1').has('p0')).toBe(false)
  expect(next.accepted('ses_2').size).toBe(0)
})

test('a session that was only given out is fresh, one in which something was said is not', async () => {
  const journal = open(createFolder())
  expect(journal.isFresh('ses_1')).toBe(false)
  journal.create('ses_1')
  expect(journal.isFresh('ses_1')).toBe(true)
  await journal.accept('ses_1', prompt('a', 0))
  journal.end('ses_1', 'a')
  expect(journal.isFresh('ses_1')).toBe(false)
})

test('what another living process does is left to it', async () => {
  const folder = createFolder()
  const mine = open(folder)
  await mine.accept('ses_1', prompt('a', 0))
  mine.close()
  const other = identifyProcess(process.ppid)
  const lines = [
    { type: 'owner', ...other },
    { type: 'prompt', ...prompt('b', 0) },
  ]
  writeFileSync(join(folder, 'ses_2.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  const journal = open(folder)
  expect(journal.left().map(({ session }) => session)).toEqual(['ses_1'])
  await journal.accept('ses_2', prompt('c', 1))
  expect([...journal.accepted('ses_2').keys()]).toEqual(['b'])
})

test('the name of a session leads out of no folder', async () => {
  const folder = createFolder()
  const journal = open(folder)
  const session = '../../ses/1'
  await journal.accept(session, prompt('a', 0))
  expect(readdirSync(folder)).toHaveLength(1)
  expect(journal.left()).toMatchObject([{ session, prompts: [{ id: 'a' }] }])
})

test('a prompt that cannot be written is refused, and a file of last week goes', async () => {
  const folder = createFolder()
  const journal = open(folder)
  await journal.accept('ses_1', prompt('a', 0))
  journal.end('ses_1', 'a')
  const days = 86_400_000
  utimesSync(join(folder, 'ses_1.jsonl'), 0, (started - 6 * days) / 1000)
  open(folder).left()
  expect(readdirSync(folder)).toHaveLength(1)
  open(folder, started + 2 * days).left()
  expect(readdirSync(folder)).toEqual([])
  rmSync(folder, { recursive: true })
  writeFileSync(folder, '')
  await expect(journal.accept('ses_1', prompt('b', 1))).rejects.toMatchObject({ code: 'HOME_UNUSABLE' })
  journal.create('ses_3')
  journal.begin('ses_3', prompt('c', 0), 0)
  say(journal, 'is answered all the same')
})

test.each([
  ['null'],
  ['[]'],
  ['{"type":"__proto__"}'],
  ['{"type":"accepted"}'],
  ['{"type":"accepted","ids":[["x"]]}'],
  ['{"type":"owner","pid":-1,"started":""}'],
  ['{"type":"prompt","id":"x","ordinal":1e308,"input":[{"type":"text","text":"no"}]}'],
  ['{"type":"prompt","id":"x","ordinal":1,"input":"no"}'],
  ['{"type":"prompt","id":"x","ordinal":1,"input":[null]}'],
  ['{"type":"turn","id":"a","before":-1}'],
  ['{"type":"said","text":7}'],
  ['\0'.repeat(8)],
])('a line that no program of ours wrote says nothing, and the rest is read: %j', async (line) => {
  const folder = createFolder()
  const journal = open(folder)
  await journal.accept('ses_1', prompt('a', 0))
  journal.begin('ses_1', prompt('a', 0), 2)
  appendFileSync(join(folder, 'ses_1.jsonl'), `${line}\n`)
  say(journal, 'Good')
  expect(open(folder).left()).toEqual([{ session: 'ses_1', prompts: [{ ...prompt('a', 0), before: 2, said: 'Good' }] }])
})

test('a file that is none, or has no name of a session, keeps nobody from the others', async () => {
  const folder = createFolder()
  const journal = open(folder)
  await journal.accept('ses_5', prompt('a', 0))
  writeFileSync(join(folder, '%ZZ.jsonl'), '')
  mkdirSync(join(folder, 'ses_2.jsonl'))
  symlinkSync('/dev/zero', join(folder, 'ses_3.jsonl'))
  symlinkSync('ses_4.jsonl', join(folder, 'ses_4.jsonl'))
  expect(open(folder).left()).toMatchObject([{ session: 'ses_5' }])
  expect(journal.isFresh('ses_2')).toBe(false)
  for (const session of ['ses_2', 'ses_3', 'ses_4'])
    await expect(journal.accept(session, prompt('b', 1))).rejects.toMatchObject({ code: 'HOME_UNUSABLE' })
  expect(journal.accepted('x'.repeat(5000)).size).toBe(0)
  expect(journal.accepted('\ud800').size).toBe(0)
})

test('an unfinished prompt of earlier that is answered after all does not come again', async () => {
  const folder = createFolder()
  const first = open(folder)
  await first.accept('ses_1', prompt('a', 0))
  await first.accept('ses_1', prompt('b', 1))
  first.close()
  const journal = open(folder)
  journal.begin('ses_1', prompt('a', 0), 0)
  journal.end('ses_1', 'a')
  expect(journal.left()).toMatchObject([{ prompts: [{ id: 'b' }] }])
  journal.end('ses_1', 'b')
  expect(journal.left()).toEqual([])
  expect([...journal.accepted('ses_1').keys()]).toEqual(['a', 'b'])
})
