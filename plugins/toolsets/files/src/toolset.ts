import type { Toolset } from '@agent/plugin-sdk'
import { patch } from './patch.ts'
import { readFile } from './read-file.ts'
import { createSearch } from './search-files.ts'
import { writeFile } from './write-file.ts'

const toolset: Toolset = {
  async open(context) {
    return { tools: { read_file: readFile, write_file: writeFile, patch, search_files: createSearch(context.clock) } }
  },
}

export default toolset
