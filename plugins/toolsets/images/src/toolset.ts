import type { Toolset } from '@agent/plugin-sdk'
import { createGenerate } from './generate.ts'
import { createAnalyze } from './look.ts'

const toolset: Toolset = {
  async open({ images }) {
    return { tools: { image_generate: createGenerate(images), vision_analyze: createAnalyze(images) } }
  },
}

export default toolset
