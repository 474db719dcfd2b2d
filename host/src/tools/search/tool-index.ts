import type { DeclaredTool } from './list-tools.ts'

export interface ToolIndex {
  /** Names of those tools that fit the words, best first. */
  find(words: string, wish: { readonly most: number; readonly among: (name: string) => boolean }): readonly string[]
}

/** A word of a name says more than one of a description, and that more than what an argument is called. */
const weights = { name: 4, toolset: 2, description: 2, parameters: 1 }

/** Full text over names, descriptions and arguments. The library is loaded here, at the first search. */
export async function createToolIndex(tools: readonly DeclaredTool[]): Promise<ToolIndex> {
  const { default: MiniSearch } = await import('minisearch')
  const index = new MiniSearch<Readonly<Record<keyof typeof weights, string>>>({
    idField: 'name',
    fields: Object.keys(weights),
    tokenize: wordsOf,
    searchOptions: {
      boost: weights,
      // A word that is written otherwise, or not to its end, counts less than the word.
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
      prefix: (term) => term.length > 2,
    },
  })
  index.addAll(tools.map(textsOf))
  return {
    find: (words, { most, among }) =>
      index
        .search(words, { filter: ({ id }) => among(String(id)) })
        .slice(0, most)
        .map(({ id }) => String(id)),
  }
}

function textsOf({ contribution, tool }: DeclaredTool): Readonly<Record<keyof typeof weights, string>> {
  return {
    name: tool.name,
    toolset: `${contribution.id} ${contribution.spec.label}`,
    description: tool.description,
    parameters: [...textsIn(tool.parameters)].join(' '),
  }
}

/** Names and descriptions of arguments, also of those inside of others. */
function* textsIn(schema: unknown): Generator<string> {
  if (typeof schema !== 'object' || schema === null) return
  const { properties = {}, items, description } = schema as Readonly<Record<string, unknown>>
  if (typeof description === 'string') yield description
  for (const [name, inner] of Object.entries(properties ?? {})) {
    yield name
    yield* textsIn(inner)
  }
  yield* textsIn(items)
}

/** Names are made of words: `make_invoice`, `makeInvoice`. */
function wordsOf(text: string): string[] {
  return text
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
}
