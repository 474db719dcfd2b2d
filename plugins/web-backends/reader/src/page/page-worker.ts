import { parentPort } from 'node:worker_threads'
import { detailOf } from '@agent/plugin-sdk/errors'
import { type PageText, type ReadPage, readPage } from './read-page.ts'

/** What the worker answers to each page. */
export type WorkerAnswer = { readonly page: ReadPage } | { readonly problem: string }

parentPort?.on('message', (page: PageText) => parentPort?.postMessage(answer(page)))

function answer(page: PageText): WorkerAnswer {
  try {
    return { page: readPage(page) }
  } catch (error) {
    return { problem: detailOf(error) }
  }
}
