import type { BackendWish } from '../choose-backend.ts'

/** `wanted` is `image.backend`. */
export type FindImageBackend = Pick<BackendWish<'image'>, 'catalog' | 'wanted'>

/** What is looked for: the backend that the person chose, or any that is ready. */
export function imageWish(options: FindImageBackend): BackendWish<'image'> {
  return { ...options, kind: 'image', unknown: 'IMAGE_BACKEND_UNKNOWN' }
}
