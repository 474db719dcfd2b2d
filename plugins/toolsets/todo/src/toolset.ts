import type { Toolset } from '@agent/plugin-sdk'
import { createTodo } from './todo.ts'

const toolset: Toolset = {
  async open(context) {
    return { tools: { todo: createTodo(context.state) } }
  },
}

export default toolset
