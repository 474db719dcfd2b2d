import type { Call } from './wire.ts'

/** The shapes that a picture may have. */
export const imageShapes = ['square', 'landscape', 'portrait'] as const
/** One of the shapes. */
export type ImageShape = (typeof imageShapes)[number]

/** The most bytes of a piece: a longer one does not cross the border. */
export const maxImagePiece: number = 4 * 1024 * 1024

const signs: readonly (readonly [mime: string, at: number, bytes: readonly number[]])[] = [
  ['image/png', 0, [0x89, 0x50, 0x4e, 0x47]],
  ['image/jpeg', 0, [0xff, 0xd8, 0xff]],
  ['image/gif', 0, [0x47, 0x49, 0x46, 0x38]],
  ['image/bmp', 0, [0x42, 0x4d]],
  ['image/webp', 8, [0x57, 0x45, 0x42, 0x50]],
]

/** The type of a picture by its first twelve bytes: whatever a server calls it, an error page is none. */
export function imageTypeOf(bytes: Uint8Array): string | undefined {
  return signs.find(([, at, sign]) => sign.every((byte, index) => bytes[at + index] === byte))?.[0]
}

/** What a picture is to show. */
export interface ImageWish {
  /** What the picture shows, in words. */
  readonly prompt: string
  readonly shape: ImageShape
}

/** What an image backend opens. */
export interface ImageSource {
  /**
   * A picture as PNG, JPEG, GIF or WebP, in pieces of at most 4 MiB, and what it took in tokens, of the words and of the picture, where the
   * service says it; that is counted for the model that the setting `model` of the backend names. A failure has a code.
   */
  generate(wish: ImageWish, call: Call): AsyncIterable<Uint8Array | { readonly input: number; readonly output: number }>
}

/** A picture, and what is asked about it. */
export interface ImageLook {
  /** A PNG, JPEG, GIF or WebP of at most 4 MiB. */
  readonly image: Uint8Array
  readonly question: string
}

/** Pictures, through the image backend and the model that the person chose. */
export interface Images extends ImageSource {
  /** The pieces of a picture alone. */
  generate(wish: ImageWish, call: Call): AsyncIterable<Uint8Array>
  /** What a model that sees says about a picture. */
  describe(look: ImageLook, call: Call): Promise<string>
}
