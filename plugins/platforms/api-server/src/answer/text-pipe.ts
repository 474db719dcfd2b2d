/** Carries text from one writer to one reader; what the reader has not taken yet is one piece. */
export interface TextPipe extends AsyncIterable<string> {
  write(text: string): void
  end(): void
  /** Drops what waits; a reader that comes back gets the error. */
  giveUp(error: Error): void
  /** True while more waits than the reader should have to take: wait for `drained` before writing on. */
  readonly full: boolean
  /** True when the reader has left. */
  readonly abandoned: boolean
  drained(): Promise<void>
}

/** `limit`: how many characters may wait for the reader. */
export function createTextPipe(limit = 65_536): TextPipe {
  let text = ''
  let ended = false
  let abandoned = false
  let failure: Error | undefined
  let wakeReader = (): void => {}
  let wakeWriter = (): void => {}

  async function* read(): AsyncGenerator<string, void, undefined> {
    try {
      for (;;) {
        if (failure) throw failure
        if (text === '' && ended) return
        if (text === '') await new Promise<void>(setWakeReader)
        else {
          const taken = text
          text = ''
          wakeWriter()
          yield taken
        }
      }
    } finally {
      abandoned = true
      wakeWriter()
    }
  }

  const setWakeReader = (resolve: () => void): void => {
    wakeReader = resolve
  }

  return {
    get full() {
      return text.length > limit && !abandoned
    },
    get abandoned() {
      return abandoned
    },
    write(more) {
      if (ended || abandoned) return
      text += more
      wakeReader()
    },
    end() {
      ended = true
      wakeReader()
    },
    giveUp(error) {
      text = ''
      failure = error
      abandoned = true
      wakeReader()
      wakeWriter()
    },
    drained() {
      return new Promise((resolve) => {
        wakeWriter = resolve
      })
    },
    [Symbol.asyncIterator]: read,
  }
}
