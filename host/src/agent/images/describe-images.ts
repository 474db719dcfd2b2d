import type { Images, InputPart } from '@agent/plugin-sdk'
import { detailOf } from '@agent/plugin-sdk/errors'
import { createCall } from '#kernel/calls/call.ts'
import type { CallsServed } from '#models/calls-served.ts'
import type { ChatModel } from '#models/open.ts'
import { type CountedTurn, servedBy } from '#models/payer.ts'
import { nameOf } from '#models/stand-ins.ts'
import type { TakesPictures } from './picture-rule.ts'

export interface DescribeImagesOptions {
  readonly takes: TakesPictures
  readonly look: Images['describe']
  readonly served: CallsServed
}

/** What a model is given in place of what somebody said, where it does not see the pictures in it. */
export type DescribeImages = (
  input: readonly InputPart[],
  model: Pick<ChatModel, 'provider' | 'model'>,
  turn: CountedTurn & { readonly signal: AbortSignal },
) => Promise<readonly InputPart[]>

const question = 'Describe this picture for somebody who cannot see it: what it shows, and every text in it word by word.'

/** Pictures become words, by a model that sees. A picture that cannot be described is told to the model as one. */
export function createDescribeImages({ takes, look, served }: DescribeImagesOptions): DescribeImages {
  return async (input, model, turn) => {
    if (!input.some(({ type }) => type === 'image') || (await takes(model))) return input
    return await Promise.all(input.map((part) => (part.type === 'image' ? describe(part.url, { look, served, model, turn }) : part)))
  }
}

interface Described extends Omit<DescribeImagesOptions, 'takes'> {
  readonly model: Parameters<DescribeImages>[1]
  readonly turn: Parameters<DescribeImages>[2]
}

async function describe(url: string, { look, served, model, turn }: Described): Promise<InputPart> {
  const [, data] = /^data:image\/[\w.+-]+;base64,(.+)$/s.exec(url) ?? []
  if (data === undefined) return { type: 'text', text: `[A picture at ${url}, which ${nameOf(model)} does not see.]` }
  try {
    const call = createCall(turn.signal)
    const said = await served.during(call, servedBy(turn), () => look({ image: Buffer.from(data, 'base64'), question }, call))
    return { type: 'text', text: `[A picture, as another model describes it: ${said}]` }
  } catch (error) {
    turn.signal.throwIfAborted()
    return { type: 'text', text: `[A picture that you cannot see, and that no other model described: ${detailOf(error)}]` }
  }
}
