import { expect, test } from 'vitest'
import { isTest, listFiles, readText } from './source-files.ts'

/** What only tests and benches import: rules with more cases, and figures of a machine, than the way through the program can show. */
const triedAlone: readonly string[] = [
  'codeAlphabet',
  'createClaimer',
  'createJob',
  'createLineReader',
  'createSendTries',
  'findNpm',
  'findOutdated',
  'findResetReason',
  'formatConsent',
  'formatSignature',
  'formatSubject',
  'isPrivate',
  'nativeFileName',
  'openChatSockets',
  'openPluginFolder',
  'parseEnvFile',
  'parseResults',
  'readAddress',
  'readMemory',
  'readProcessor',
  'removeStale',
  'setEnvValue',
  'splitText',
  'takeSteering',
  'transitions',
  'webhookPath',
  'writeLetter',
]

const shipped = ['host', 'plugin-sdk', 'plugins']
  .flatMap((folder) => listFiles(folder, /\.(?:ts|mjs)$/))
  .filter((file) => !isTest(file) && (file.startsWith('plugin-sdk/src/') || !/\/(?:test|testing|fixtures)\//.test(file)))

test('no function or constant is exported for tests alone, except for the rules that are listed', () => {
  const texts = shipped.map((file) => ({ file, words: new Set(readText(file).match(/\w+/g)) }))
  const users = new Map<string, number>()
  for (const { words } of texts) for (const word of words) users.set(word, (users.get(word) ?? 0) + 1)
  const sources = shipped.filter((file) => /^(?:host|plugin-sdk|plugins\/\w[^/]*\/[^/]+)\/src\//.test(file) && !file.includes('/testing/'))
  const lonely = sources.flatMap((file) => {
    const names = [...readText(file).matchAll(/^export (?:async )?(?:function\*?|const|class) (\w+)/gm)].map(([, name = '']) => name)
    return names.filter((name) => users.get(name) === 1 && !triedAlone.includes(name)).map((name) => `${file} ${name}`)
  })
  expect(lonely).toEqual([])
})
