import { type Draft, draftOf } from './draft.ts'

/** What may stand instead of the last part of what was written. */
export interface Completion {
  /** Where that part begins. */
  readonly from: number
  readonly items: readonly string[]
  /** A few words beside each of them. */
  readonly notes?: readonly string[]
}

/** What the Tab key asks about: everything before the cursor. */
export type Complete = (before: string) => Promise<Completion | undefined>

export interface Menu {
  readonly items: readonly string[]
  readonly notes?: readonly string[]
  /** -1: none is taken yet. */
  readonly index: number
  readonly from: number
  /** What was written before the first one was taken. */
  readonly draft: Draft
}

/** Puts in as much as is certain. A menu comes with it where there is a choice. */
export function startMenu(draft: Draft, found: Completion | undefined): { readonly draft: Draft; readonly menu: Menu | undefined } {
  const [first, ...others] = found?.items ?? []
  if (!found || first === undefined) return { draft, menu: undefined }
  const typed = draft.text.slice(found.from, draft.cursor)
  const common = others.reduce(commonStart, first)
  const more = replace(draft, found.from, common.length >= typed.length ? common : typed)
  return { draft: more, menu: others.length === 0 ? undefined : { ...found, index: -1, draft: more } }
}

/** The menu that stands below a command while it is written, and changes nothing; undefined where nothing is left to choose, and for files. */
export function offerMenu(draft: Draft, found: Completion | undefined): Menu | undefined {
  const isChoice = found?.notes !== undefined && found.items.some((item) => item.trim() !== draft.text)
  return isChoice ? { ...found, index: -1, draft } : undefined
}

/** Takes the next or the one before. */
export function stepMenu(menu: Menu, by: 1 | -1): { readonly draft: Draft; readonly menu: Menu } {
  const { length } = menu.items
  const index = menu.index < 0 ? (by > 0 ? 0 : length - 1) : (menu.index + by + length) % length
  return { draft: replace(menu.draft, menu.from, menu.items[index] ?? ''), menu: { ...menu, index } }
}

function replace(draft: Draft, from: number, value: string): Draft {
  const { text } = draftOf(value)
  return { ...draft, text: draft.text.slice(0, from) + text + draft.text.slice(draft.cursor), cursor: from + text.length }
}

function commonStart(left: string, right: string): string {
  let at = 0
  while (at < left.length && left[at] === right[at]) at++
  return left.slice(0, at)
}
