import { useRef, useState } from 'react'
import type { PromptFile } from '../../../src/rpc/protocol.ts'

/** The files of a message that was not sent yet. */
export interface DraftFiles {
  readonly files: readonly PromptFile[]
  /** Names of those that are still being read. */
  readonly reading: readonly string[]
  /** What a person has to know about them, in words. */
  readonly problems: readonly string[]
}

export type DraftStore = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>

export const noFiles: DraftFiles = { files: [], reading: [], problems: [] }

/** Writes down as many as the browser has room for, and of the others the names, so that none is gone without a word. */
export function keepDraftFiles(store: DraftStore, key: string, { files, reading }: DraftFiles): void {
  // What was kept before is over, also where nothing fits.
  store.removeItem(key)
  if (files.length + reading.length === 0) return
  for (let whole = files.length; whole >= 0; whole--) {
    const names = [...files.slice(whole).map(({ name }) => name), ...reading]
    if (fits(store, key, JSON.stringify({ files: files.slice(0, whole), names }))) return
  }
}

function fits(store: DraftStore, key: string, text: string): boolean {
  try {
    store.setItem(key, text)
    return true
  } catch {
    return false
  }
}

/** What was kept, and a sentence for each file of which only the name was. */
export function readDraftFiles(store: DraftStore, key: string): DraftFiles {
  const { files, names } = parse(store.getItem(key))
  const problems = names.map((name) => `${name} is not here any more: the browser could not keep it when the page was left. Add it again.`)
  return { files, reading: [], problems: [...new Set(problems)] }
}

function parse(text: string | null): { readonly files: readonly PromptFile[]; readonly names: readonly string[] } {
  try {
    const { files, names } = JSON.parse(text ?? '{}') as { readonly files?: unknown; readonly names?: unknown }
    return {
      files: Array.isArray(files) ? files.filter(isFile) : [],
      names: Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [],
    }
  } catch {
    return { files: [], names: [] }
  }
}

function isFile(value: unknown): value is PromptFile {
  if (typeof value !== 'object' || value === null || !('name' in value) || typeof value.name !== 'string') return false
  return 'text' in value ? typeof value.text === 'string' : 'image' in value && typeof value.image === 'string'
}

export interface DraftFilesOf {
  readonly shown: DraftFiles
  /** As they are at this moment, also for one who began before the last drawing. */
  readonly now: () => DraftFiles
  readonly change: (change: Partial<DraftFiles>) => void
}

/** They are kept for this tab beside what is typed, so that a reload takes nothing of them. */
export function useDraftFiles(key: string): DraftFilesOf {
  const [shown, setShown] = useState(() => readDraftFiles(sessionStorage, key))
  const latest = useRef(shown)
  const change = (part: Partial<DraftFiles>) => {
    latest.current = { ...latest.current, ...part }
    setShown(latest.current)
    keepDraftFiles(sessionStorage, key, latest.current)
  }
  return { shown, now: () => latest.current, change }
}
