import { defineTools, imageShapes } from '@agent/plugin-sdk'
import * as z from 'zod'

export const tools = defineTools({
  image_generate: {
    description:
      'Paint a picture from words and write it to a file; give a path that ends with .png, or none. A line MEDIA:PATH in the answer shows it to the person.',
    parameters: z.strictObject({
      prompt: z.string().min(1).max(10_000),
      shape: z.enum(imageShapes).default('square'),
      path: z.string().min(1).optional(),
    }),
    effect: 'external',
    needsImages: 'generate',
    guards: [{ argument: 'path', as: 'write-path' }],
    timeoutMs: 300_000,
  },
  vision_analyze: {
    description: 'Look at an image file (PNG, JPEG, GIF, WebP; at most 4 MiB) and answer a question about it.',
    parameters: z.strictObject({
      path: z.string().min(1),
      question: z.string().min(1).max(10_000).default('What does this picture show?'),
    }),
    effect: 'read',
    needsImages: 'describe',
    replaySafe: true,
    parallel: true,
    guards: [{ argument: 'path', as: 'read-path' }],
    timeoutMs: 300_000,
  },
})
