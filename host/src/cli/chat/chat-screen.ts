import { type Clock, isOverWithin } from '@agent/plugin-sdk'
import { showText } from '#observe/printable.ts'
import { describeSlip, parseAnswer } from './ask-person.ts'
import type { Talk } from './conversation/conversation.ts'
import type { TurnQuestion } from './conversation/questions.ts'
import type { Audience } from './conversation/talk.ts'
import type { TypedEntry } from './input/draft.ts'
import { createEditor, type Editor } from './input/editor.ts'
import type { History } from './input/history.ts'
import type { Stroke } from './input/keys.ts'
import type { Complete } from './input/menu.ts'
import type { TurnView } from './render/contract.ts'
import { print, run, type Style, styles } from './render/style.ts'
import { termRows } from './render/term-rows.ts'
import { wrap } from './render/wrap.ts'
import { compose, promptWidth, showEntry } from './screen/compose.ts'
import { createLiveRegion, type Device, type LiveRegion } from './screen/live-region.ts'
import { beatMs, createSignOfLife, type SignOfLife } from './screen/sign-of-life.ts'

export interface ChatScreenOptions {
  readonly device: Device
  readonly colour: boolean
  readonly clock: Clock
  readonly history: History
  readonly complete: Complete
  /** The person wants to leave. */
  readonly onLeave: () => void
  /** Stops the program until the shell lets it go on. */
  readonly suspend: () => void
}

/** A conversation as a person sees it: what was said goes up, what is being said and written stays at the bottom. */
export interface ChatScreen {
  readonly audience: Audience
  take(stroke: Stroke): void
  /** From now on entries go to the conversation, those first that were written before it was open. */
  attach(conversation: Talk, view: TurnView, first: string): void
  /** Draws all of it again. */
  refresh(): void
  close(): void
}

interface State {
  readonly options: ChatScreenOptions
  readonly region: LiveRegion
  readonly editor: Editor
  readonly activity: SignOfLife
  view: TurnView | undefined
  readonly stop: AbortController
  conversation: Talk | undefined
  /** Written before the conversation was open. */
  early: TypedEntry[]
  /** Ctrl-C was pressed with nothing to stop; another one leaves. */
  leaving: boolean
  /** Esc was pressed with nothing to stop; another one clears what is written. */
  clearing: boolean
  /** When a frame is to be drawn; undefined where none is. */
  drawAt: number | undefined
  /** The sign of life beats. */
  beating: boolean
  /** What was said beside the answer, while a part of that was not finished. */
  readonly after: string[]
}

/** Frames are no closer than this: for what a person does, and for what the agent says. */
const frameMs = 16
const sayingMs = 75

export function createChatScreen(options: ChatScreenOptions): ChatScreen {
  const { device, clock } = options
  const state: State = {
    options,
    region: createLiveRegion(device),
    editor: createEditor({
      ...options,
      history: withoutAnswers(options.history, () => state.conversation?.question()),
      onChange: () => invalidate(state),
      columns: () => device.columns() - promptWidth - 1,
    }),
    activity: createSignOfLife(clock),
    view: undefined,
    stop: new AbortController(),
    ...{
      conversation: undefined,
      early: [],
      leaving: false,
      clearing: false,
      drawAt: undefined,
      beating: false,
      after: [],
    },
  }
  const stopResize = device.onResize(() => invalidate(state))
  draw(state)
  return {
    audience: createAudience(state),
    take: (stroke) => {
      take(state, stroke)
      invalidate(state)
    },
    attach: (conversation, view, first) => {
      state.view = view
      state.conversation = conversation
      const entries = [...(first === '' ? [] : [{ text: first, shown: first }]), ...state.early]
      state.early = []
      conversation.start(entries)
      invalidate(state)
    },
    refresh: () => draw(state),
    close: () => {
      state.stop.abort()
      stopResize()
      state.region.commit([...(state.view?.tail() ?? []), ...state.after])
      state.region.erase()
    },
  }
}

/** The letter that allows a command is nothing to say again. */
function withoutAnswers({ entries, add }: History, question: () => TurnQuestion | undefined): History {
  const isAnswer = (text: string, asked = question()): boolean =>
    asked?.type === 'approval.request' && parseAnswer(asked, text) !== undefined
  return { entries, add: (text) => !isAnswer(text) && add(text) }
}

function createAudience(state: State): Audience {
  const { region, activity, options } = state
  const { colour, device } = options
  const commit = (text: string, style: Style = ''): void => {
    add(
      state,
      showText(text)
        .split('\n')
        .flatMap((line) => layOutLine(line, { style, colour, columns: device.columns() })),
    )
    invalidate(state)
  }
  return {
    begins: (entry) => {
      add(state, showEntry(entry, { colour, columns: device.columns() }))
      invalidate(state)
    },
    hear: (event) => {
      if (event.type === 'message.start') activity.begin()
      activity.hear(event)
      region.commit(state.view?.take(event) ?? [])
      if (event.type === 'message.complete') activity.end()
      add(state, [])
      invalidate(state, sayingMs)
    },
    ask: (question) => {
      region.commit(state.view?.ask(question) ?? [])
      invalidate(state)
    },
    say: (text) => commit(text),
    sayRows: (rows) => {
      const lines = termRows(rows, device.columns())
      add(
        state,
        lines.map((line) => print(line, colour)),
      )
      invalidate(state)
    },
    report: (text) => commit(`\n${text}`),
    note: (text) => commit(text, styles.dim),
    complain: (text) => commit(text, styles.red),
    changed: () => {
      if (state.conversation?.isBusy()) void beat(state)
      else activity.end()
      invalidate(state)
    },
    leave: options.onLeave,
  }
}

interface LineLook {
  readonly style: Style
  readonly colour: boolean
  readonly columns: number
}

/** What follows is as far from the edge as the line begins. */
function layOutLine(line: string, { style, colour, columns }: LineLook): readonly string[] {
  const edge = /^ */.exec(line)?.[0] ?? ''
  const lines = wrap([run(line.trimStart(), style)], { width: Math.max(1, columns - edge.length), longWords: 'leave' })
  return lines.map((each) => print([run(edge), ...each], colour))
}

/** Lines that are no part of the answer: they stand below the part of it that is not finished, and go up after it. */
function add(state: State, lines: readonly string[]): void {
  state.after.push(...lines)
  // With each token there is nothing, and to ask for the tail is to lay it out.
  if (state.after.length > 0 && (state.view?.tail().length ?? 0) === 0) state.region.commit(state.after.splice(0))
}

/** Lets the sign of life go on for as long as something goes on. */
async function beat(state: State): Promise<void> {
  if (state.beating) return
  state.beating = true
  const { clock } = state.options
  while (state.conversation?.isBusy() && !state.stop.signal.aborted) {
    await isOverWithin({ clock, ms: beatMs, signal: state.stop.signal }, new Promise(() => undefined)).catch(() => undefined)
    invalidate(state)
  }
  state.beating = false
}

function invalidate(state: State, ms = frameMs): void {
  const at = state.options.clock.now() + ms
  if (state.drawAt !== undefined && state.drawAt <= at) return
  state.drawAt = at
  state.options.clock.sleep(ms, state.stop.signal).then(
    () => state.drawAt === at && draw(state),
    () => undefined,
  )
}

function draw(state: State): void {
  state.drawAt = undefined
  const { options, conversation, editor, activity, view, region } = state
  const { device, colour } = options
  region.draw(
    compose({
      ...{ colour, columns: device.columns(), rows: device.rows(), editor },
      tail: [...(view?.tail() ?? []), ...state.after],
      activity: activity.describe(),
      queue: conversation?.queue() ?? state.early,
      background: conversation?.background() ?? [],
      question: conversation?.question(),
      questionLeft: conversation?.questionLeft() ?? 0,
      hint: state.leaving ? 'Ctrl-C again, or Ctrl-D, leaves.' : undefined,
    }),
  )
}

function take(state: State, stroke: Stroke): void {
  const { editor, leaving, clearing } = state
  state.leaving = false
  state.clearing = false
  const isTaken = stroke.type === 'key' && ['escape', 'up'].includes(stroke.name) && editor.menu() !== undefined
  const isOpen = editor.search() !== undefined || isTaken
  if (!isOpen && stroke.type === 'key' && takeKey(state, stroke.name, { leaving, clearing })) return
  const entry = editor.take(stroke)
  if (typeof entry === 'object') send(state, entry)
}

/** Keys that mean something beyond the line that is written; true where this one did. */
function takeKey(state: State, name: string, before: Before): boolean {
  return beyondTheLine.get(name)?.(state, before) ?? false
}

interface Before {
  readonly leaving: boolean
  readonly clearing: boolean
}

const isEmpty = ({ editor }: State): boolean => editor.draft().text === ''

const beyondTheLine: ReadonlyMap<string, (state: State, before: Before) => boolean> = new Map([
  ['ctrl+c', takeInterrupt],
  ['escape', takeEscape],
  ['ctrl+d', (state) => isEmpty(state) && leave(state)],
  ['ctrl+l', clearScreen],
  ['ctrl+z', suspend],
  ['up', takeBack],
])

/** Clears what is written; with nothing written stops what runs; with nothing running the second one leaves. */
function takeInterrupt(state: State, { leaving }: Before): boolean {
  if (!isEmpty(state)) state.editor.clear()
  else if (leaving) leave(state)
  else state.leaving = !stop(state)
  return true
}

/** Stops what runs; with nothing running the second one clears what is written. */
function takeEscape(state: State, { clearing }: Before): boolean {
  if (stop(state)) return true
  if (clearing) state.editor.clear()
  else state.clearing = !isEmpty(state)
  return true
}

/** What was sent last and waits comes back to be changed. */
function takeBack(state: State): boolean {
  const last = isEmpty(state) && state.editor.isAtTop() ? state.conversation?.recall() : undefined
  if (last) state.editor.set(last.text)
  return last !== undefined
}

function clearScreen({ region }: State): true {
  region.clearScreen()
  return true
}

function suspend({ options }: State): true {
  options.suspend()
  return true
}

function leave({ options }: State): true {
  options.onLeave()
  return true
}

/** Stops what runs. What waits is not said unasked: it comes back to be changed. */
function stop({ conversation, editor }: State): boolean {
  if (!conversation?.isBusy()) return false
  const waiting: string[] = []
  for (let last = conversation.recall(); last; last = conversation.recall()) waiting.unshift(last.text)
  if (waiting.length > 0) editor.set([...waiting, editor.draft().text].filter((text) => text !== '').join('\n'))
  return conversation.interrupt()
}

async function answer(state: State, question: TurnQuestion, value: string): Promise<void> {
  const { audience } = { audience: createAudience(state) }
  const isTaken = await state.conversation?.answer(question, value)
  audience.note(isTaken ? (answers[value] ?? `Answered: ${value}`) : 'That question is over: nobody waits for an answer any more.')
}

const answers: { readonly [value: string]: string | undefined } = {
  once: 'Allowed once.',
  session: 'Allowed for this session.',
  always: 'Allowed from now on.',
  deny: 'Denied.',
}

function send(state: State, entry: TypedEntry): void {
  const { conversation } = state
  if (entry.text.trim() === '') return
  const question = conversation?.question()
  const value = question && parseAnswer(question, entry.text)
  const slip = question && describeSlip(question, entry.text)
  if (question && value !== undefined) void answer(state, question, value)
  else if (slip !== undefined) createAudience(state).note(slip)
  else if (conversation) conversation.enter(entry)
  else state.early.push(entry)
}
