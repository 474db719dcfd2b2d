import type { PromptFile } from '../../../src/rpc/protocol.ts'

/** Longest edge and quality, from good to small; models look at no more than the first. */
const sizes = [
  [1568, 0.85],
  [1568, 0.7],
  [1280, 0.7],
  [1024, 0.6],
] as const
const mostLength = 400_000
const mostPreview = 24_000
const kept = /^image\/(png|jpeg|gif|webp)$/

/** A picture as a model takes it: as it is where it is small, else made smaller; with one that fits into a line of the chat. */
export async function readPicture(file: File, name: string): Promise<PromptFile | string> {
  const bitmap = await createImageBitmap(file).catch(() => undefined)
  if (bitmap === undefined) return `${name} was left out: it cannot be read as a picture.`
  try {
    const small = draw(bitmap, 160, 0.6)
    const preview = small.length <= mostPreview ? { preview: small } : {}
    const own = kept.test(file.type) && file.size * 1.4 <= mostLength ? await urlOf(file) : undefined
    const image = own ?? sizes.map(([edge, quality]) => draw(bitmap, edge, quality)).find((url) => url.length <= mostLength)
    return image === undefined ? `${name} was left out: it is too large as a picture.` : { name, image, ...preview }
  } finally {
    bitmap.close()
  }
}

/** On white, because a JPEG has nothing that shines through. */
function draw(bitmap: ImageBitmap, edge: number, quality: number): string {
  const scale = Math.min(1, edge / Math.max(bitmap.width, bitmap.height))
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.round(bitmap.width * scale))
  canvas.height = Math.max(1, Math.round(bitmap.height * scale))
  const context = canvas.getContext('2d')
  if (context === null) return ''
  context.fillStyle = '#fff'
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height)
  return canvas.toDataURL('image/jpeg', quality)
}

function urlOf(file: File): Promise<string | undefined> {
  return new Promise((resolve) => {
    const reader = new FileReader()
    reader.onload = () => resolve(typeof reader.result === 'string' ? reader.result : undefined)
    reader.onerror = () => resolve(undefined)
    reader.readAsDataURL(file)
  })
}
