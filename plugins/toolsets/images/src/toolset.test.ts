import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Images, ToolCall, ToolContext, ToolResult, ToolRun } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { pixel } from '../test/contract.ts'
import { tools } from './tools.ts'
import toolset from './toolset.ts'

let workspace: string
beforeEach(() => {
  workspace = mkdtempSync(join(tmpdir(), 'images-'))
})
afterEach(() => rmSync(workspace, { recursive: true, force: true }))

const asked: unknown[] = []
const images: Images = {
  generate: async function* (wish) {
    asked.push(wish)
    if (wish.prompt === 'none') throw fail('IMAGE_BACKEND_MISSING')
    yield pixel.subarray(0, 20)
    yield pixel.subarray(20)
  },
  describe: async (look) => {
    asked.push(look)
    return 'A pixel.'
  },
}

async function run(name: keyof typeof tools, args: unknown): Promise<ToolResult> {
  const call = { id: 'c', signal: new AbortController().signal, deadline: 1000 }
  const opened = await toolset.open({ images } as ToolContext, call)
  const toolCall = { args: tools[name].parameters.parse(args), workspace, progress: () => undefined } as unknown as ToolCall
  return (opened.tools[name] as ToolRun)(toolCall, call)
}

test('a picture is written where it is wanted, else below images under its first words', async () => {
  expect(await run('image_generate', { prompt: 'A red rose', shape: 'portrait', path: 'out/rose.png' })).toMatchObject({
    ok: true,
    text: expect.stringContaining(`MEDIA:${join(workspace, 'out', 'rose.png')}`),
  })
  expect(asked.at(-1)).toEqual({ prompt: 'A red rose', shape: 'portrait' })
  expect(readFileSync(join(workspace, 'out', 'rose.png')).equals(pixel)).toBe(true)
  await run('image_generate', { prompt: 'Ein schöner Baum!' })
  await run('image_generate', { prompt: '???' })
  expect(readdirSync(join(workspace, 'images')).sort()).toEqual([
    expect.stringMatching(/^ein-schöner-baum-[\da-f]{8}\.png$/),
    expect.stringMatching(/^picture-[\da-f]{8}\.png$/),
  ])
})

test('a backend that is missing keeps its code, and a disk that refuses gets a sentence; nothing is left', async () => {
  expect(await run('image_generate', { prompt: 'none' })).toMatchObject({ ok: false, error: { code: 'IMAGE_BACKEND_MISSING' } })
  writeFileSync(join(workspace, 'file'), '')
  expect(await run('image_generate', { prompt: 'x', path: 'file/x.png' })).toMatchObject({ ok: false, error: { code: 'TOOL_FAILED' } })
  expect(await run('image_generate', { prompt: 'x', path: '.' })).toMatchObject({ ok: false })
  expect(readdirSync(workspace)).toEqual(['file'])
})

test('a picture is looked at with its question, unless it is too large or not there', async () => {
  writeFileSync(join(workspace, 'a.png'), pixel)
  expect(await run('vision_analyze', { path: 'a.png', question: 'Which colour?' })).toEqual({ ok: true, text: 'A pixel.' })
  expect(asked.at(-1)).toEqual({ image: pixel, question: 'Which colour?' })
  truncateSync(join(workspace, 'a.png'), 4 * 1024 * 1024 + 1)
  const refused = [await run('vision_analyze', { path: 'a.png' }), await run('vision_analyze', { path: 'b.png' })]
  expect(refused.map((result) => !result.ok && String(result.error.params.detail))).toEqual([
    expect.stringMatching(/make it smaller first$/),
    expect.stringMatching(/b\.png: there is no such file/),
  ])
})
