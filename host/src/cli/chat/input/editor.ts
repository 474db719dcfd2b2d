import {
  type Direction,
  type Draft,
  describe,
  draftOf,
  emptyDraft,
  erase,
  expand,
  insert,
  move,
  paste,
  type TypedEntry,
  type Unit,
} from './draft.ts'
import type { History } from './history.ts'
import type { Stroke } from './keys.ts'
import { cursorAt, layOut } from './layout.ts'
import { type Complete, type Menu, offerMenu, startMenu, stepMenu } from './menu.ts'

/** A search through what was sent before. */
export interface Search {
  readonly words: string
  /** How many matches are passed over. */
  readonly skip: number
  readonly found: string | undefined
  /** What was written when it began. */
  readonly before: Draft
}

export interface Editor {
  /** An entry where the stroke sends it; false where the stroke means nothing here. */
  take(stroke: Stroke): TypedEntry | boolean
  draft(): Draft
  menu(): Menu | undefined
  search(): Search | undefined
  set(text: string): void
  clear(): void
  /** Whether Up would leave what is written. */
  isAtTop(): boolean
}

export interface EditorOptions {
  readonly history: History
  readonly complete: Complete
  /** Something has changed that no stroke changed just now. */
  readonly onChange: () => void
  /** Columns for the text. */
  readonly columns: () => number
}

interface State {
  readonly options: EditorOptions
  draft: Draft
  /** -1: what is written now. */
  place: number
  /** What was written before the first step into the history. */
  kept: Draft
  erased: string
  /** What was cleared last, for Up. */
  cleared: Draft | undefined
  undo: Draft[]
  menu: Menu | undefined
  search: Search | undefined
}

const mostUndo = 200

/** The line editor: characters and keys in, a draft and entries out. It knows no screen. */
export function createEditor(options: EditorOptions): Editor {
  const state: State = {
    ...{ options, draft: emptyDraft, place: -1, kept: emptyDraft, erased: '', cleared: undefined, undo: [] },
    ...{ menu: undefined, search: undefined },
  }
  return {
    take: (stroke) => take(state, stroke),
    draft: () => state.draft,
    menu: () => state.menu,
    search: () => state.search,
    set: (text) => set(state, draftOf(text)),
    clear: () => {
      if (state.draft.text !== '') state.cleared = state.draft
      set(state, emptyDraft)
    },
    isAtTop: () => state.place < 0 && layOut(state.draft, options.columns()).row === 0,
  }
}

function set(state: State, draft: Draft): void {
  state.draft = draft
  state.place = -1
  state.menu = undefined
  state.search = undefined
}

function change(state: State, draft: Draft): void {
  if (draft.text !== state.draft.text) state.undo = [...state.undo.slice(-mostUndo), state.draft]
  state.draft = draft
}

function take(state: State, stroke: Stroke): TypedEntry | boolean {
  if (state.search) return takeInSearch(state, state.search, stroke)
  if (stroke.type === 'key' && state.menu && takeInMenu(state, state.menu, stroke.name)) return true
  state.menu = undefined
  if (stroke.type === 'text') {
    change(state, insert(state.draft, stroke.text))
    void offer(state)
  }
  if (stroke.type === 'paste') change(state, paste(state.draft, stroke.text))
  if (stroke.type !== 'key') return true
  if (stroke.name === 'enter') return finish(state)
  const act = keys.get(stroke.name)
  act?.(state)
  return act !== undefined
}

/** Enter sends, unless a backslash before it asks for another line. */
function finish(state: State): TypedEntry | boolean {
  const { draft, options } = state
  if (draft.text[draft.cursor - 1] === '\\') {
    change(state, insert(erase(draft, -1, 'character').draft, '\n'))
    return true
  }
  const entry = { text: expand(draft), shown: describe(draft) }
  options.history.add(entry.text)
  state.undo = []
  set(state, emptyDraft)
  return entry
}

const steps: readonly (readonly [string, Direction, Unit])[] = [
  ['left', -1, 'character'],
  ['ctrl+b', -1, 'character'],
  ['right', 1, 'character'],
  ['ctrl+f', 1, 'character'],
  ['alt+b', -1, 'word'],
  ['ctrl+left', -1, 'word'],
  ['alt+left', -1, 'word'],
  ['alt+f', 1, 'word'],
  ['ctrl+right', 1, 'word'],
  ['alt+right', 1, 'word'],
  ['home', -1, 'line'],
  ['ctrl+a', -1, 'line'],
  ['end', 1, 'line'],
  ['ctrl+e', 1, 'line'],
]

const erasures: readonly (readonly [string, Direction, Unit])[] = [
  ['backspace', -1, 'character'],
  ['ctrl+h', -1, 'character'],
  ['delete', 1, 'character'],
  ['ctrl+d', 1, 'character'],
  ['ctrl+w', -1, 'word'],
  ['alt+backspace', -1, 'word'],
  ['alt+d', 1, 'word'],
  ['ctrl+u', -1, 'line'],
  ['ctrl+k', 1, 'line'],
]

const breakLine = (state: State): void => change(state, insert(state.draft, '\n'))

const keys: ReadonlyMap<string, (state: State) => void> = new Map<string, (state: State) => void>([
  ...steps.map(([name, ...way]) => [name, (state: State) => place(state, move(state.draft, ...way))] as const),
  ...erasures.map(([name, ...way]) => [name, (state: State) => eraseBy(state, ...way)] as const),
  ['alt+enter', breakLine],
  ['shift+enter', breakLine],
  ['ctrl+j', breakLine],
  ['ctrl+y', (state) => change(state, insert(state.draft, state.erased))],
  ['ctrl+_', undo],
  ['up', (state) => goVertically(state, -1)],
  ['down', (state) => goVertically(state, 1)],
  ['ctrl+p', (state) => goVertically(state, -1)],
  ['ctrl+n', (state) => goVertically(state, 1)],
  ['ctrl+r', startSearch],
  ['tab', (state) => void openMenu(state)],
])

function place(state: State, draft: Draft): void {
  state.draft = draft
}

function startSearch(state: State): void {
  state.search = { words: '', skip: 0, found: undefined, before: state.draft }
}

/** What comes too late for what is written is left. */
async function openMenu(state: State): Promise<void> {
  const { draft, options } = state
  const found = await options.complete(draft.text.slice(0, draft.cursor))
  if (state.draft !== draft || state.search) return
  const { draft: more, menu } = startMenu(draft, found)
  change(state, more)
  state.menu = menu
  options.onChange()
}

/** Below a command that is being written stand those that it may become. */
async function offer(state: State): Promise<void> {
  const { draft, options } = state
  if (!/^\/\S*$/.test(draft.text) || draft.cursor < draft.text.length) return
  const found = await options.complete(draft.text)
  if (state.draft !== draft || state.search || state.menu) return
  state.menu = offerMenu(draft, found)
  options.onChange()
}

function eraseBy(state: State, direction: Direction, unit: Unit): void {
  const { draft, erased } = erase(state.draft, direction, unit)
  if (unit !== 'character') state.erased = erased
  change(state, draft)
  void offer(state)
}

function undo(state: State): void {
  state.draft = state.undo.pop() ?? state.draft
}

/** Within what is written, and beyond its first and last line through the history. */
function goVertically(state: State, by: Direction): void {
  const { draft, options } = state
  const { rows, row, column } = layOut(draft, options.columns())
  const target = rows[row + by]
  if (target) {
    state.draft = { ...draft, cursor: cursorAt(draft, target, column) }
    return
  }
  if (by < 0 && draft.text === '' && state.place < 0 && state.cleared) {
    set(state, state.cleared)
    state.cleared = undefined
    return
  }
  const entries = options.history.entries()
  const place = state.place - by
  if (place < -1 || place >= entries.length) return
  if (state.place < 0) state.kept = draft
  const draftThere = place < 0 ? state.kept : draftOf(entries[place] ?? '')
  set(state, draftThere)
  state.place = place
}

function takeInMenu(state: State, menu: Menu, name: string): boolean {
  if (name === 'tab' || name === 'down') {
    Object.assign(state, stepMenu(menu, 1))
    if (menu.items.length === 1) state.menu = undefined
  } else if (name === 'shift+tab' || name === 'up') Object.assign(state, stepMenu(menu, -1))
  else if (name === 'escape' || (name === 'enter' && menu.index >= 0)) state.menu = undefined
  else {
    // The beginning of a command that only one has is that one.
    const [only, ...others] = menu.notes ? menu.items : []
    if (name === 'enter' && only !== undefined && others.length === 0) change(state, draftOf(only.trim()))
    return false
  }
  return true
}

function takeInSearch(state: State, search: Search, stroke: Stroke): TypedEntry | boolean {
  const look = (words: string, skip: number): true => {
    const matches = words === '' ? [] : state.options.history.entries().filter((entry) => entry.toLowerCase().includes(words.toLowerCase()))
    // Past the last match it stays where it is.
    const found = matches[skip] ?? (skip > 0 ? search.found : undefined)
    state.search = { ...search, words, found, skip: Math.min(skip, Math.max(0, matches.length - 1)) }
    return true
  }
  if (stroke.type !== 'key') return look(search.words + stroke.text, 0)
  const { name } = stroke
  if (name === 'ctrl+r' || name === 'up') return look(search.words, search.skip + 1)
  if (name === 'backspace' || name === 'ctrl+h') return look(search.words.slice(0, -1), 0)
  const isOff = name === 'ctrl+c' || name === 'ctrl+g'
  set(state, isOff || search.found === undefined ? search.before : draftOf(search.found))
  if (isOff || name === 'escape' || name === 'tab') return true
  return name === 'enter' && search.found === undefined ? true : take(state, stroke)
}
