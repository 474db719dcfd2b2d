/**
 * One item at a time out of batches. An async generator would cost three promises for each item;
 * here an item that has already arrived costs one.
 */
export function flatten<T>(open: () => AsyncGenerator<readonly T[], void>): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator](): AsyncIterator<T> {
      const batches = open()
      let batch: readonly T[] = []
      let index = 0
      const pull = async (): Promise<IteratorResult<T>> => {
        for (;;) {
          const next = await batches.next()
          // Another one who waited may have got a batch meanwhile, and left some of it.
          batch = joined(batch.slice(index), next.done ? [] : next.value)
          index = 1
          if (batch.length > 0) return { done: false, value: batch[0] as T }
          if (next.done) return { done: true, value: undefined }
        }
      }
      return {
        next: () => (index < batch.length ? Promise.resolve({ done: false, value: batch[index++] as T }) : pull()),
        async return() {
          batch = []
          await batches.return()
          return { done: true, value: undefined }
        },
      }
    },
  }
}

const joined = <T>(left: readonly T[], more: readonly T[]): readonly T[] => (left.length === 0 ? more : [...left, ...more])
