import type { Images, InputPart, ModelMessage } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { expect, test } from 'vitest'
import { createCall } from '#kernel/calls/call.ts'
import type { AskAuxiliary, AuxiliaryAsk } from '#models/auxiliary.ts'
import { createCallsServed } from '#models/calls-served.ts'
import { createDescribeImages } from './describe-images.ts'
import { createHidePictures } from './hide-pictures.ts'
import { createLooker } from './look-at-image.ts'
import { createPictureRule, type PictureMode } from './picture-rule.ts'

const pixel = Buffer.from('iVBORw0KGgoAAAANSUhEUg==', 'base64')
const url = `data:image/png;base64,${pixel.toString('base64')}`
const signal = new AbortController().signal
const model = { provider: 'far', model: 'm' }
const text = (words: string): InputPart => ({ type: 'text', text: words })
const picture: InputPart = { type: 'image', url }

test.each<[PictureMode, boolean | undefined, boolean]>([
  ['auto', true, true],
  ['auto', undefined, true],
  ['auto', false, false],
  ['native', false, true],
  ['text', true, false],
])('with %s a model that sees: %s takes pictures: %s', async (mode, sees, takes) => {
  const rule = createPictureRule(
    () => mode,
    async () => sees,
  )
  expect(await rule(model)).toBe(takes)
})

const turn = { id: 'ses_a', request: { source: 'cron', job: 'job_a' }, signal }

test('a picture becomes words for a model that takes none, in its place, and stays for others', async () => {
  const looked: unknown[] = []
  const look: Images['describe'] = async (asked, call) => {
    looked.push({ ...asked, served: served.of(call) })
    return 'a dot'
  }
  const input = [text('What is it?'), picture, text('And this?'), { type: 'image' as const, url: 'https://a.example/x.png' }]
  const served = createCallsServed()
  const blind = createDescribeImages({ takes: async () => false, look, served })
  expect(await blind(input, model, turn)).toEqual([
    text('What is it?'),
    text('[A picture, as another model describes it: a dot]'),
    text('And this?'),
    text('[A picture at https://a.example/x.png, which far/m does not see.]'),
  ])
  expect(looked).toEqual([{ image: pixel, question: expect.stringContaining('cannot see'), served: { session: 'ses_a', job: 'job_a' } }])
  expect(await createDescribeImages({ takes: async () => true, look, served })(input, model, turn)).toBe(input)
  const words = [text('Hello')]
  expect(await createDescribeImages({ takes: () => Promise.reject(new Error('asked')), look, served })(words, model, turn)).toBe(words)
})

test('a picture that no model describes is told as one, unless the turn is given up', async () => {
  const controller = new AbortController()
  const look: Images['describe'] = async () => Promise.reject(fail('IMAGE_UNSEEN', { detail: 'it is dark' }))
  const describe = createDescribeImages({ takes: async () => false, look, served: createCallsServed() })
  const given = { ...turn, signal: controller.signal }
  expect(await describe([picture], model, given)).toEqual([text(expect.stringMatching(/no other model described: .*it is dark/) as string)])
  controller.abort(fail('INTERRUPTED'))
  await expect(describe([picture], model, given)).rejects.toMatchObject({ code: 'INTERRUPTED' })
})

test('a model is asked about a picture as the task vision, if it may see', async () => {
  const asked: AuxiliaryAsk[] = []
  const ask: AskAuxiliary = async (wish) => {
    asked.push(wish)
    return ' A dot. '
  }
  const look = createLooker(ask, async ({ provider }) => (provider === 'blind' ? false : undefined))
  expect(await look({ image: pixel, question: 'What is it?' }, createCall(signal))).toBe('A dot.')
  expect(asked[0]).toMatchObject({
    task: 'vision',
    seconds: 120,
    call: { id: expect.stringMatching(/^call_/) },
    request: { tools: [], messages: [{ role: 'user', parts: [text('What is it?'), picture] }] },
  })
  expect([await asked[0]?.fits?.({ provider: 'blind', model: 'm' }), await asked[0]?.fits?.(model)]).toEqual([false, true])
})

test.each<[string, Uint8Array, AskAuxiliary, RegExp]>([
  ['what is no picture', Buffer.from('<html>'), async () => 'x', /it is no PNG/],
  ['a model that says nothing', pixel, async () => ' ', /the model said nothing/],
  ['a model that fails', pixel, async () => Promise.reject(fail('NO_PROVIDER')), /No model could look.*No inference provider/],
])('%s is an error that says what to set', async (_name, image, ask, words) => {
  const look = createLooker(ask, async () => true)
  await expect(look({ image, question: '?' }, createCall(signal))).rejects.toMatchObject({
    code: 'IMAGE_UNSEEN',
    message: expect.stringMatching(words),
  })
})

test('a look that is given up ends as what gave it up', async () => {
  const controller = new AbortController()
  const look = createLooker(
    async () => {
      controller.abort(fail('INTERRUPTED'))
      throw new Error('late')
    },
    async () => true,
  )
  await expect(look({ image: pixel, question: '?' }, createCall(controller.signal))).rejects.toMatchObject({ code: 'INTERRUPTED' })
})

test('earlier pictures are hidden from a model that takes none', async () => {
  const talk: readonly ModelMessage[] = [
    { role: 'user', parts: [text('Look'), picture] },
    { role: 'assistant', parts: [{ type: 'text', text: 'A dot.' }] },
  ]
  expect(await createHidePictures(async () => true)(talk, model)).toBe(talk)
  expect(await createHidePictures(async () => false)(talk, model)).toEqual([
    { role: 'user', parts: [text('Look'), text(expect.stringContaining('cannot see') as string)] },
    talk[1],
  ])
})
