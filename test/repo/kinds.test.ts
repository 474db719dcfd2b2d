import { expect, test } from 'vitest'
import { codeKinds, contractKinds, kinds } from '../../plugin-sdk/src/kinds/kinds.ts'
import { isTest, listFiles, listFolders, readText } from './source-files.ts'

/** Where a kind may be told from others by its name: its own code, which takes nothing but its own contributions. */
const own = ['host/src/gateway/reload/try-change.ts', 'host/src/gateway/reload/create-reload.ts']
const sources = ['host/src', 'plugin-sdk/src']
  .flatMap((folder) => listFiles(folder, /\.ts$/))
  .filter((file) => !isTest(file) && !file.includes('/testing/broken/'))

const names = [...contractKinds, ...contractKinds.map((kind) => kinds[kind].list)].join('|')
const name = `['"](?:${names})['"]`
const comparison = new RegExp(
  `\\b(?:kind|list)\\b\\)?\\s*[!=]==?\\s*${name}|${name}\\s*[!=]==?\\s*(?:\\w+\\.)*(?:kind|list)\\b|\\bcase\\s+${name}:`,
)

/** An image is a kind of file and a sign of Markdown too, and these ask for one. */
const media = [
  ...['host/src/cli/chat/render/inline.ts', 'host/src/gateway/markup/parse-markdown.ts', 'host/src/gateway/media/fetch-attachments.ts'],
  ...['host/src/gateway/media/media-cache.ts', 'plugin-sdk/src/contract/markup.ts'],
]

test('nobody asks for a kind of contribution by its name: what differs stands in the table of kinds', () => {
  expect(sources.filter((file) => comparison.test(readText(file)))).toEqual(media.toSorted())
  expect(sources.filter((file) => /\bisKind\(\w+, '/.test(readText(file)))).toEqual(own.toSorted())
})

test('the forms in which somebody would ask are found', () => {
  const asked = ["kind === 'hooks'", "each.kind !== 'web-backend'", "'skills' === part.kind", "list === 'webBackends'", "case 'toolset':"]
  expect(asked.filter((text) => !comparison.test(text))).toEqual([])
  expect(comparison.test("conversation.kind === 'thread'")).toBe(false)
})

test('each kind has an example, from which agent plugins create writes a plugin', () => {
  // The board of cards brings two kinds, and shows how they work together; the other platform keeps a socket open.
  expect([...listFolders('plugin-sdk/examples')].sort()).toEqual([...contractKinds, 'kanban', 'socket'].sort())
  const contracts = codeKinds.map((kind) => `plugin-sdk/examples/${kind}/test/contract.ts`)
  expect(listFiles('plugin-sdk/examples', /contract\.ts$/)).toEqual(expect.arrayContaining(contracts))
})
