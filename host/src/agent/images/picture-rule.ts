import type { SeesImages } from '#models/catalog/sees-images.ts'
import type { ChatModel } from '#models/open.ts'

/** `agent.image_input`: `auto` gives pictures to models that see, `native` to all, `text` to none. */
export type PictureMode = 'auto' | 'native' | 'text'

/** Whether a model is given pictures as they are. */
export type TakesPictures = (model: Pick<ChatModel, 'provider' | 'model'>) => Promise<boolean>

/** By the settings as they are now. A model of which nobody knows it is thought to see. */
export function createPictureRule(mode: () => PictureMode, sees: SeesImages): TakesPictures {
  return async (model) => {
    const chosen = mode()
    return chosen === 'native' || (chosen === 'auto' && (await sees(model)) !== false)
  }
}
