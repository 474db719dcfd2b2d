import { expect, test } from 'vitest'
import { type CodeKind, codeKinds, contractKinds, specsOf } from '../../plugin-sdk/src/kinds/kinds.ts'
import { listRules } from '../../plugin-sdk/src/testing/check/list-rules.ts'
import { type Suite, suites } from '../../plugin-sdk/src/testing/contract/suites.ts'
import { pluginFolders, readManifest } from './plugin-folders.ts'
import { root } from './source-files.ts'

const place = 'here'
const never = async (): Promise<never> => Promise.reject(new Error('No rule is run here.'))

test('what a bundled plugin is asked stands in the list of rules', () => {
  const listed = new Set(listRules().map(({ kind, rule, title }) => [kind, rule, title].join('\n')))
  const asked = pluginFolders.map(readManifest).flatMap((manifest) =>
    contractKinds.flatMap((kind) =>
      specsOf(manifest, kind).flatMap(({ id }) => {
        const subject = { kind: kind as CodeKind, manifest, contribution: id, place, open: never }
        const cases = codeKinds.includes(kind as CodeKind)
          ? (suites[kind as CodeKind] as Suite<CodeKind>)({ subject, world: never })
          : suites.skills({ root, manifest, contribution: id })
        return cases.map(({ rule, title }) => [kind, rule, title.replace(` (${place})`, '')].join('\n'))
      }),
    ),
  )
  expect(asked.length).toBeGreaterThan(300)
  expect(asked.filter((one) => !listed.has(one))).toEqual([])
})
