import { expect, test } from 'vitest'
import { variablePrefix } from '../../host/src/config/platform-settings.ts'
import { platformKeys } from '../../host/src/config/schema/platform-keys.ts'
import { type PluginFolder, pluginFolders, readManifest } from './plugin-folders.ts'
import { isTest, listFiles, readText } from './source-files.ts'

/** What the host reads for every platform. */
const shared = [...platformKeys.flatMap(({ suffixes }) => suffixes), 'ALLOW_ALL_USERS']
/** They declare variables or set them for tests. */
const noReader = /\/src\/plugin\.ts$|\/test\//

function findUnread(folder: PluginFolder): readonly string[] {
  const { env, contributes } = readManifest(folder)
  const common = contributes.platforms.flatMap(({ id, envPrefix, homeEnv }) => {
    const environment = { platform: () => ({ prefix: envPrefix, home: homeEnv, header: '' }) }
    const names = shared.map((suffix) => `${variablePrefix(id, environment)}_${suffix}`)
    return homeEnv === undefined ? names : [...names, homeEnv]
  })
  const sources = listFiles(`${folder.path}/src`, /\.ts$/)
    .filter((file) => !isTest(file) && !noReader.test(file))
    .map(readText)
  const isRead = (name: string): boolean => common.includes(name) || sources.some((text) => text.includes(`'${name}'`))
  return env.map(({ name }) => name).filter((name) => !isRead(name))
}

test.each(pluginFolders.filter(({ kind }) => kind === 'platforms'))('$id lists no variable that nothing reads', (folder) => {
  expect(findUnread(folder)).toEqual([])
})
