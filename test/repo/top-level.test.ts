import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { root } from './source-files.ts'

const required = ['README.md', 'host', 'package.json', 'plugin-sdk', 'plugins', 'test', 'tsconfig.json']
/** What tools force upon the top level. */
const forced = ['.ci', '.git', '.gitignore', '.npmrc', 'biome.json', 'package-lock.json', 'vitest.config.ts']
/** Made by installing, building and running; not committed. */
const made = ['.lock', 'coverage', 'node_modules']

test('the top level holds the agreed folders and nothing else', () => {
  const names = readdirSync(root).filter((name) => !made.includes(name) && !name.startsWith('.lock.'))
  expect(names.filter((name) => ![...required, ...forced, 'skills'].includes(name))).toEqual([])
  expect(required.filter((name) => !names.includes(name))).toEqual([])
})
