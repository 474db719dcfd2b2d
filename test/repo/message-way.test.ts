import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { stages } from '../../host/src/gateway/inbound/answer-message.ts'
import { readText } from './source-files.ts'

const [, walk = ''] = /## The way of a message\n(.*?)\n## /s.exec(readText('host/docs/develop.md')) ?? []
const named = [...walk.matchAll(/`((?:gateway|agent)\/[^`]+\.ts)`/g)].map(([, file = '']) => file)

test('each file that the way of a message names is there', () => {
  expect(named.length).toBeGreaterThan(10)
  expect(named.filter((file) => !existsSync(`host/src/${file}`))).toEqual([])
})

test('the way of a message names the stages in their order, the reply last', () => {
  const inOrder = [...stages.map(({ name }) => name), 'reply'].map((name) => `gateway/inbound/${name}.ts`)
  expect(named.filter((file) => inOrder.includes(file))).toEqual(inOrder)
})

test('each answer to the ten questions is there', () => {
  const [, table = ''] = /## Ten questions\n(.*?)\n## /s.exec(readText('host/docs/develop.md')) ?? []
  const answers = [...table.matchAll(/\| `([^`]+\.ts)` \|/g)].map(([, file = '']) => file)
  expect(answers.filter((file) => existsSync(`host/src/${file}`))).toHaveLength(10)
})
