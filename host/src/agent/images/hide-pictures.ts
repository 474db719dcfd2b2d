import type { InputPart, ModelMessage } from '@agent/plugin-sdk'
import type { ChatModel } from '#models/open.ts'
import type { TakesPictures } from './picture-rule.ts'

const instead: InputPart = { type: 'text', text: '[A picture that was shown to another model, and that you cannot see.]' }

/** Earlier messages as a model is given them. */
export type HidePictures = (
  messages: readonly ModelMessage[],
  model: Pick<ChatModel, 'provider' | 'model'>,
) => Promise<readonly ModelMessage[]>

/** A model that takes no pictures is told where earlier messages hold one, for instance of a model that it stands in for. */
export function createHidePictures(takes: TakesPictures): HidePictures {
  return async (messages, model) => ((await takes(model)) ? messages : messages.map(withoutPictures))
}

function withoutPictures(message: ModelMessage): ModelMessage {
  if (message.role !== 'user') return message
  return { ...message, parts: message.parts.map((part) => (part.type === 'image' ? instead : part)) }
}
