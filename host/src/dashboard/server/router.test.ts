import fastify from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import type { HomeContext } from '#rpc/home-context.ts'
import { createRouter, nothing } from './router.ts'

test('what was read of manifests is kept from one request to the next', async () => {
  const server = fastify()
  onTestFinished(() => server.close())
  const ground = { installRoot: '/', environment: {}, note: () => undefined, signal: new AbortController().signal }
  const seen: HomeContext['parseManifest'][] = []
  createRouter(server, { ...ground, profile: 'default', isolated: true }).add({
    ...{ method: 'GET', url: '/look', takes: nothing },
    answer: ({ context }) => ({ many: seen.push(context.parseManifest) }),
  })
  for (const many of [1, 2]) expect((await server.inject('/look')).json()).toEqual({ many })
  expect([typeof seen[0], seen[1]]).toEqual(['function', seen[0]])
})
