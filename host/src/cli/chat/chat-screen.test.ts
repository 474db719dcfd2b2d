import { createFakeClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import { createFakeTerminal, type FakeTerminal } from '../../../../test/support/terminals/fake-terminal.ts'
import { type ChatScreen, createChatScreen } from './chat-screen.ts'
import type { Talk } from './conversation/conversation.ts'
import type { TurnQuestion } from './conversation/questions.ts'
import type { TypedEntry } from './input/draft.ts'
import { createTurnView } from './render/turn-view.ts'

interface Stage {
  readonly screen: ChatScreen
  readonly terminal: FakeTerminal
  /** What the conversation was told, in order. */
  readonly told: string[]
  /** What the history was given. */
  readonly kept: string[]
  /** What the conversation is at. */
  readonly now: { busy: boolean; queue: TypedEntry[]; question: TurnQuestion | undefined }
  type(text: string): void
  press(...names: readonly string[]): void
  /** What stands on the screen once the time has passed. */
  after(ms: number): Promise<string>
}

function open(columns = 60): Stage {
  const terminal = createFakeTerminal(columns, 16)
  const clock = createFakeClock()
  const told: string[] = []
  const kept: string[] = []
  const now: Stage['now'] = { busy: false, queue: [], question: undefined }
  const screen = createChatScreen({
    ...{ device: terminal.device, colour: false, clock },
    history: { entries: () => ['an older entry'], add: (text) => void kept.push(text) },
    complete: async (before) => (before === '/st' ? { from: 0, items: ['/stop ', '/status '], notes: ['Interrupt', 'Say'] } : undefined),
    onLeave: () => told.push('leave'),
    suspend: () => told.push('suspend'),
  })
  const talk: Talk = {
    start: (entries) => void told.push(...entries.map(({ text }) => `enter ${text}`)),
    enter: ({ text }) => void told.push(`enter ${text}`),
    interrupt: () => told.push('interrupt') > 0,
    isBusy: () => now.busy,
    queue: () => now.queue,
    recall: () => now.queue.pop(),
    background: () => [],
    question: () => now.question,
    questionLeft: () => 299_000,
    answer: async (question, value) => {
      told.push(`answer ${question.id} ${value}`)
      return value !== 'too late'
    },
    reasoning: () => ({ effort: undefined, show: false }),
    hasSession: () => false,
    close: async () => undefined,
  }
  const view = createTurnView({ columns: terminal.device.columns, colour: false, showReasoning: () => false })
  screen.attach(talk, view, '')
  return {
    ...{ screen, terminal, told, kept, now },
    type: (text) => {
      for (const character of text) screen.take({ type: 'text', text: character })
    },
    press: (...names) => {
      for (const name of names) screen.take({ type: 'key', name })
    },
    after: async (ms) => {
      await clock.advance(ms)
      return terminal.text()
    },
  }
}

const entry = (text: string): TypedEntry => ({ text, shown: text })
const start = { type: 'message.start', turn: 't', session: 's', provider: 'p', model: 'm' } as const
const approval: TurnQuestion = {
  ...{ type: 'approval.request', id: 'q', tool: 'terminal', reason: 'it deletes', choices: ['once', 'session', 'deny'] },
  subject: 'rm -rf ./sub',
}

function work({ now, screen }: Stage): void {
  now.busy = true
  screen.audience.begins(entry('do it'))
  screen.audience.hear(start)
  screen.audience.changed()
}

function ask(stage: Stage, question: TurnQuestion): void {
  stage.screen.audience.hear(question)
  stage.now.question = question
  stage.screen.audience.ask(question)
  stage.screen.audience.changed()
}

test('what is written while the agent works stays below what it says, and below how long it has worked', async () => {
  const stage = open()
  work(stage)
  stage.type('and then')
  stage.screen.audience.hear({ type: 'message.delta', text: 'Here it\nis' })
  expect(await stage.after(2_000)).toMatch(/› do it\n\nHere it\nis\n\n\S [12] s · p\/m answers · Esc interrupts\n› and then$/)
  expect(await stage.after(10_000)).toMatch(/\S 1[12] s · p\/m answers/)
  stage.screen.audience.hear({ type: 'tool.start', id: 'c', name: 'terminal', args: {}, preview: 'make test' })
  expect(await stage.after(1_000)).toMatch(/1[23] s · runs terminal make test/)
  stage.now.busy = false
  stage.screen.audience.changed()
  expect(await stage.after(100)).not.toMatch(/Esc interrupts/)
})

test('what a command says while the agent answers stands below the answer', async () => {
  const stage = open()
  work(stage)
  stage.screen.audience.hear({ type: 'message.delta', text: 'An answer that' })
  stage.screen.audience.begins(entry('/usage'))
  stage.screen.audience.say('3 model calls')
  expect(await stage.after(75)).toMatch(/An answer that\n\n› \/usage\n3 model calls\n\n\S \d s/)
  stage.screen.audience.hear({ type: 'message.delta', text: ' goes on' })
  stage.screen.audience.hear({ type: 'message.complete', text: '', status: 'complete', stop: 'stop' })
  expect(await stage.after(75)).toMatch(/An answer that goes on\n\n› \/usage\n3 model calls\n/)
})

test('Esc interrupts, and what waits comes back to be changed', async () => {
  const stage = open()
  work(stage)
  stage.now.queue = [entry('one'), entry('two')]
  stage.screen.audience.changed()
  expect(await stage.after(75)).toMatch(/next: one\n +next: two\n +Up takes the last one back/)
  stage.press('escape')
  expect(stage.told).toEqual(['interrupt'])
  expect(await stage.after(75)).toMatch(/› one\n {2}two$/)
})

test('Up takes back what waits before it goes into the history', async () => {
  const stage = open()
  work(stage)
  stage.now.queue = [entry('one')]
  stage.press('up')
  expect(await stage.after(75)).toMatch(/› one$/)
  stage.press('ctrl+u', 'up')
  expect(await stage.after(75)).toMatch(/› an older entry$/)
})

test('Ctrl-C clears what is written, then stops what runs, then leaves', async () => {
  const stage = open()
  work(stage)
  stage.type('half a thought')
  stage.press('ctrl+c')
  expect(stage.told).toEqual([])
  stage.press('ctrl+c')
  expect(stage.told).toEqual(['interrupt'])
  stage.now.busy = false
  stage.press('ctrl+c')
  expect(await stage.after(75)).toMatch(/Ctrl-C again, or Ctrl-D, leaves\.$/)
  stage.type('x')
  expect(await stage.after(75)).not.toMatch(/leaves/)
  stage.press('ctrl+c', 'ctrl+c', 'ctrl+c')
  expect(stage.told).toEqual(['interrupt', 'leave'])
})

test('while a command is written those that begin so stand below it, and Ctrl-C clears both', async () => {
  const stage = open()
  stage.type('/st')
  expect(await stage.after(75)).toMatch(/› \/st\n {2}\/stop {4}Interrupt\n {2}\/status {2}Say$/)
  stage.press('ctrl+c')
  expect(await stage.after(75)).toMatch(/›$/)
  stage.press('up')
  expect(await stage.after(75)).toMatch(/› \/st$/)
})

test('Ctrl-D leaves from an empty line only; Esc twice empties it', async () => {
  const stage = open()
  stage.type('ab')
  stage.press('home', 'ctrl+d')
  expect(await stage.after(75)).toMatch(/› b$/)
  stage.press('escape', 'escape')
  expect(await stage.after(75)).toMatch(/›$/)
  expect(stage.told).toEqual([])
  stage.press('ctrl+d')
  expect(stage.told).toEqual(['leave'])
})

test('a question shows all of the command, and a letter and Enter answer it, so that a sentence never does', async () => {
  const stage = open()
  work(stage)
  ask(stage, approval)
  stage.type('s')
  expect(await stage.after(1_000)).toMatch(
    /│ rm -rf \.\/sub\n {2}why +it deletes[\s\S]*waits for you · 4 min 59 s left\nAllow it\? o once · s session · d deny, then Enter\n\? s$/,
  )
  stage.type('o what does it delete?')
  stage.press('enter')
  expect(stage.told).toEqual(['enter so what does it delete?'])
  stage.type('s')
  stage.press('enter')
  expect(stage.told.slice(1)).toEqual(['answer q session'])
  expect(await stage.after(75)).toMatch(/Allowed for this session\./)
  expect(stage.kept).toEqual(['so what does it delete?'])
})

test('a letter that is no answer to a question is a slip, and does not go to the agent', async () => {
  const stage = open()
  work(stage)
  ask(stage, approval)
  stage.type('p')
  stage.press('enter')
  expect(await stage.after(75)).toMatch(/"p" is no answer: o, s, d\. Esc stops the agent\./)
  expect(stage.told).toEqual([])
})

test('who is writing goes on writing: the question waits, and words may answer it', async () => {
  const stage = open()
  work(stage)
  stage.type('do no')
  ask(stage, approval)
  stage.type('t do it')
  expect(await stage.after(75)).toMatch(/o once[\s\S]*\? do not do it$/)
  stage.press('ctrl+c')
  stage.type('deny')
  stage.press('enter')
  expect(stage.told).toEqual(['answer q deny'])
  expect(await stage.after(75)).toMatch(/Denied\./)
})

test('a choice is taken by its number, other words are an answer too, and a question that is over says so', async () => {
  const stage = open()
  work(stage)
  ask(stage, { type: 'clarify.request', id: 'q', question: 'Which?', choices: ['left', 'right'] })
  stage.type('2')
  stage.press('enter')
  expect(stage.told).toEqual(['answer q right'])
  stage.type('too late')
  stage.press('enter')
  expect(await stage.after(75)).toMatch(/That question is over/)
  expect(stage.kept).toEqual(['2', 'too late'])
})

test('what is sent before the conversation is open waits for it', async () => {
  const terminal = createFakeTerminal(60, 10)
  const told: string[] = []
  const clock = createFakeClock()
  const screen = createChatScreen({
    ...{ device: terminal.device, colour: false, clock },
    history: { entries: () => [], add: () => undefined },
    ...{ complete: async () => undefined, onLeave: () => undefined, suspend: () => undefined },
  })
  for (const text of 'hi') screen.take({ type: 'text', text })
  screen.take({ type: 'key', name: 'enter' })
  await clock.advance(75)
  expect(await terminal.text()).toMatch(/next: hi/)
  const start = (entries: readonly TypedEntry[]) => void told.push(...entries.map(({ text }) => text))
  const idle = { isBusy: () => false, queue: () => [], background: () => [], question: () => undefined, questionLeft: () => 0 }
  screen.attach(
    { ...idle, start } as unknown as Talk,
    createTurnView({ columns: () => 60, colour: false, showReasoning: () => false }),
    'first',
  )
  expect(told).toEqual(['first', 'hi'])
  await clock.advance(75)
  screen.close()
})
