import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { defaultConfig } from '../schema/defaults.ts'
import { isTree } from '../schema/merge.ts'
import { findWithoutEffect, withoutEffect } from './without-effect.ts'

const root = fileURLToPath(new URL('../../../..', import.meta.url))

/** The text of the program, apart from the places that only name settings. */
function readProgram(): string {
  const folders = [join(root, 'host', 'src'), ...readdirSync(join(root, 'plugins')).map((name) => join(root, 'plugins', name))]
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.ts$/.test(name) && !/\.(test|gen)\.ts$|node_modules|dist\/|(^|\/)test\//.test(name))
      .filter((name) => !/^config\/(schema|environment|file)\//.test(name))
      .map((name) => join(folder, name)),
  )
  return files.map((file) => readFileSync(file, 'utf8')).join('\n')
}

function leaves(value: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (!isTree(value) || Object.keys(value).length === 0) return [path]
  return Object.entries(value).flatMap(([name, inner]) => leaves(inner, [...path, name]))
}

const isListed = (path: readonly string[]): boolean => path.some((_, at) => path.slice(0, at + 1).join('.') in withoutEffect)
/** Keyed by names of people; what counts of them is judged one by one. */
const open = ['auxiliary', '_config_version']

test('every setting is read somewhere, or listed as one without effect', () => {
  const program = readProgram()
  const silent = leaves(defaultConfig)
    .filter(([first = '']) => !open.includes(first))
    .filter((path) => !isListed(path))
    .filter((path) => !new RegExp(`\\b${path.at(-1)}\\b`).test(program))
  expect(silent.map((path) => path.join('.'))).toEqual([])
})

const found = (change: object): readonly (readonly [string, string])[] =>
  findWithoutEffect({ ...defaultConfig, ...change }, () => ({ file: 'config.yaml', line: 1 })).map(({ key, level }) => [key, level])

test('what is as by default is no word worth; what was changed is told', () => {
  expect(found({})).toEqual([])
  expect(
    found({
      stt: { ...defaultConfig.stt, provider: 'x' },
      terminal: { ...defaultConfig.terminal, container_mount_cwd_to_workspace: true },
    }),
  ).toEqual([
    ['terminal.container_mount_cwd_to_workspace', 'warning'],
    ['stt.provider', 'warning'],
  ])
  expect(found({ display: { ...defaultConfig.display, interface: 'tui' } })).toEqual([['display.interface', 'warning']])
})

test('who asks for a container gets an error and not this machine', () => {
  expect(found({ terminal: { ...defaultConfig.terminal, backend: 'docker' } })).toEqual([['terminal.backend', 'error']])
})

test('of auxiliary tasks only what is read counts', () => {
  const auxiliary = { approval: { provider: 'p', model: 'm', base_url: 'http://x' }, vision: { timeout: 9 }, aproval: { model: 'm' } }
  expect(found({ auxiliary })).toEqual([['auxiliary.aproval.model', 'warning']])
})
