import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { openPluginBuilder } from './build.mjs'
import { workspaceFolders } from './dependencies.mjs'
import { writeModelPrices } from './model-prices.mjs'

/** Manifests of the bundled plugins, from their definitions; hand-written ones are only validated. */
async function writeManifests(root, { check }) {
  const { buildPlugin } = await openPluginBuilder()
  const folders = workspaceFolders(root).filter(
    (folder) => existsSync(join(folder, 'src', 'plugin.ts')) || existsSync(join(folder, 'agent.plugin.json')),
  )
  const results = []
  for (const dir of folders) results.push(await buildPlugin({ dir, check, manifestOnly: true }))
  return results.filter((result) => result.changed).map((result) => result.file)
}

/** The published JSON Schema of a manifest. */
async function writeManifestSchema(root, { check }) {
  const { writeManifestSchema: write } = await openPluginBuilder()
  return (await write({ check })) ? [join(root, 'plugin-sdk', 'manifest.schema.json')] : []
}

/** Every exported name of the SDK with its declaration. */
async function writeApiReport(root, { check }) {
  const { writeApiReport: write } = await import('../../plugin-sdk/bin/api-report.mjs')
  return (await write({ check })) ? [join(root, 'plugin-sdk', 'api.txt')] : []
}

/** What has changed in the SDK from version to version; made of the report. */
async function writeChangelog(root, { check }) {
  const { writeChangelog: write } = await import('../../plugin-sdk/bin/changelog.mjs')
  return write({ check }) ? [join(root, 'plugin-sdk', 'CHANGELOG.md')] : []
}

/** The reference pages of the documentation. */
async function writeReferencePages(root, { check }) {
  const { writeReference } = await import('./reference.mjs')
  return writeReference(root, { check })
}

/** What `npm pack` has to install: libraries of the SDK, native ones of the host, and what plugins do not bundle. */
async function writePackageLibraries(root, { check }) {
  const file = join(root, 'package.json')
  const text = readFileSync(file, 'utf8')
  const about = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const { dependencies: sdk } = about(join(root, 'plugin-sdk'))
  const { dependencies: host } = about(join(root, 'host'))
  const plugins = workspaceFolders(root).map(about)
  const unbundled = plugins.flatMap(({ agent, dependencies }) => (agent?.unbundled ?? []).map((name) => [name, dependencies[name]]))
  const native = ['@lydell/node-pty', 'better-sqlite3'].map((name) => [name, host[name]])
  const wanted = [...Object.entries(sdk), ...native, ...unbundled].sort()
  const next = JSON.stringify({ ...JSON.parse(text), dependencies: Object.fromEntries(wanted) }, null, 2)
  if (`${next}\n` === text) return []
  if (!check) writeFileSync(file, `${next}\n`)
  return [file]
}

/** Which skills the program puts into a home, with the hashes of their files: not the optional ones, which people choose. */
async function writeSkillList(root, { check }) {
  const { createHash } = await import('node:crypto')
  const hashOf = (content) => createHash('sha256').update(content).digest('hex')
  const folder = join(root, 'skills')
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.parentPath !== folder)
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    // A conversation that tries a skill comes into no home.
    .filter((file) => !/^[^/]+\/[^/]+\/eval\.yaml$/.test(file) && !file.startsWith('optional/'))
    .sort()
  const skills = {}
  for (const path of new Set(files.map((file) => file.split('/', 2).join('/')))) {
    const own = files.filter((file) => file.startsWith(`${path}/`)).map((file) => file.slice(path.length + 1))
    skills[path] = hashOf(own.map((file) => `${hashOf(readFileSync(join(folder, path, file)))}  ${file}\n`).join(''))
  }
  const text = `${JSON.stringify({ set: hashOf(JSON.stringify(skills)).slice(0, 16), skills }, null, 2)}\n`
  const file = join(folder, 'manifest.json')
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return []
  if (!check) writeFileSync(file, text)
  return [file]
}

/** Each writes its files, or with `check` only compares, and answers those that were stale. */
export const generators = [
  writePackageLibraries,
  writeManifestSchema,
  writeManifests,
  writeApiReport,
  writeChangelog,
  writeModelPrices,
  writeSkillList,
  writeReferencePages,
]
