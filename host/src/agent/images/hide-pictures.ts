import type { InputPart, ModelMessage, ModelRequest } from '@agent/plugin-sdk'
import type { ChatModel, Models } from '#models/open.ts'
import type { TakesPictures } from './picture-rule.ts'

const instead: InputPart = { type: 'text', text: '[A picture that was shown to another model, and that you cannot see.]' }

/** The same models: one that takes no pictures is told where earlier messages hold one, for instance of a model that it stands in for. */
export function hidePictures<Of extends Pick<Models, 'model'>>(models: Of, takes: TakesPictures): Pick<Models, 'model'> {
  return {
    async model(choice) {
      const opened = await models.model(choice)
      return {
        ...opened,
        stream: (request, call) =>
          request.messages.some(hasPicture) ? streamHidden(opened, request, { takes, call }) : opened.stream(request, call),
      }
    },
  }
}

interface Hiding {
  readonly takes: TakesPictures
  readonly call: Parameters<ChatModel['stream']>[1]
}

async function* streamHidden(model: ChatModel, request: ModelRequest, { takes, call }: Hiding): ReturnType<ChatModel['stream']> {
  const messages = (await takes(model)) ? request.messages : request.messages.map(withoutPictures)
  yield* model.stream({ ...request, messages }, call)
}

function hasPicture(message: ModelMessage): boolean {
  return message.role === 'user' && message.parts.some(({ type }) => type === 'image')
}

function withoutPictures(message: ModelMessage): ModelMessage {
  if (message.role !== 'user') return message
  return { ...message, parts: message.parts.map((part) => (part.type === 'image' ? instead : part)) }
}
