import type { MemoryBlock, MemoryChange } from '@agent/plugin-sdk'

type Addition = Extract<MemoryChange, { action: 'add' }>

const most = 3
const longest = 400

/** The entries that a model proposes; what is none is left out. */
export function readProposals(answer: string, targets: readonly MemoryBlock['target'][]): readonly Addition[] {
  const [list] = /\[.*\]/s.exec(answer) ?? []
  if (list === undefined) return []
  try {
    const found = JSON.parse(list) as unknown
    return (Array.isArray(found) ? found : []).flatMap((each: unknown) => readOne(each, targets)).slice(0, most)
  } catch {
    return []
  }
}

function readOne(value: unknown, targets: readonly MemoryBlock['target'][]): readonly Addition[] {
  const { target, text } = (value ?? {}) as { readonly target?: unknown; readonly text?: unknown }
  const known = targets.find((each) => each === target)
  const line = typeof text === 'string' ? text.replaceAll(/\s+/g, ' ').trim() : ''
  return known === undefined || line === '' || line.length > longest ? [] : [{ action: 'add', target: known, text: line }]
}
