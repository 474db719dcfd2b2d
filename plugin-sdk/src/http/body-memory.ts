import { MessageChannel } from 'node:worker_threads'

/**
 * Memory of bodies. As garbage it would lie until V8 collects, which it puts off until there are 64 MiB, and the allocator of the system keeps for ever
 * most of what it once had in small pieces. So each piece is given back as soon as it is copied, and what grows lies in separate pages.
 */
export interface BodyMemory {
  /** Gives the memory of bytes back that nobody else uses: they are empty after that. */
  release(bytes: Uint8Array): void
  /** Collects a body that still comes. */
  gather(mostBytes: number): {
    readonly bytes: number
    /** Takes a piece, which is empty after that. */
    add(piece: Uint8Array): void
    /** All of it; nothing can be added any more. */
    take(): Uint8Array
    drop(): void
  }
}

/** A memory for the bodies of one server or client. */
export function createBodyMemory(): BodyMemory {
  // What is sent to nobody is gone at once.
  const { port1, port2 } = new MessageChannel()
  port2.close()
  const release = (bytes: Uint8Array): void => {
    // What shares its memory with others is left to them.
    if (bytes.byteLength > 0 && bytes.byteLength === bytes.buffer.byteLength) port1.postMessage(undefined, [bytes.buffer as ArrayBuffer])
  }
  return { release, gather: (mostBytes) => createGathering(mostBytes, release) }
}

function createGathering(mostBytes: number, release: BodyMemory['release']): ReturnType<BodyMemory['gather']> {
  let first: Uint8Array | undefined
  let pages: ResizableBuffer | undefined
  let bytes = 0

  function append(piece: Uint8Array): void {
    pages ??= new (ArrayBuffer as unknown as ResizableConstructor)(0, { maxByteLength: mostBytes })
    const at = pages.byteLength
    pages.resize(at + piece.length)
    new Uint8Array(pages, at).set(piece)
    release(piece)
  }

  function drop(): void {
    if (first) release(first)
    pages?.resize(0)
    first = undefined
  }

  return {
    get bytes() {
      return bytes
    },
    add(piece) {
      bytes += piece.length
      if (first) append(first)
      if (first || pages) append(piece)
      first = first || pages ? undefined : piece
    },
    take() {
      // Mostly there is but one piece. Several are copied, because some programs take no buffer that can change its size.
      const whole = first ?? new Uint8Array(pages?.slice(0) ?? new ArrayBuffer(0))
      first = undefined
      drop()
      return whole
    },
    drop,
  }
}

/** Of a standard that is newer than our types. */
interface ResizableBuffer extends ArrayBuffer {
  resize(bytes: number): void
}

type ResizableConstructor = new (bytes: number, options: { readonly maxByteLength: number }) => ResizableBuffer
