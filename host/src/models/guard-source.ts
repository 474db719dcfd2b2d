import type { Call, ModelEvent, ModelRequest, ModelSource } from '@agent/plugin-sdk'
import { detailOf } from '@agent/plugin-sdk/errors'
import type { Watches } from './protocols/watch.ts'
import { classify, failedEvent } from './request/classify.ts'

/** The stream of a provider with its own code, which may throw, hang or talk for ever: it still ends with one last event. */
export function guardSource(provider: string, source: ModelSource, watches: Watches): ModelSource {
  const stream = (request: ModelRequest, call: Call): AsyncIterable<ModelEvent> => guard({ provider, source, watches }, request, call)
  return source.models ? { stream, models: (call) => source.models?.(call) ?? Promise.resolve([]) } : { stream }
}

interface Guarded {
  readonly provider: string
  readonly source: ModelSource
  readonly watches: Watches
}

async function* guard({ provider, source, watches }: Guarded, request: ModelRequest, call: Call): AsyncGenerator<ModelEvent, void> {
  const watch = watches.open(call)
  let onCut = (): void => undefined
  watch.signal.addEventListener('abort', () => onCut(), { once: true })
  let events: AsyncIterator<ModelEvent> | undefined
  try {
    events = source.stream(request, { ...call, signal: watch.signal })[Symbol.asyncIterator]()
    for (;;) {
      const coming = watch.signal.aborted ? undefined : events.next()
      // No race with one promise for all events: it would keep each of them until the end.
      const next = await new Promise<IteratorResult<ModelEvent> | undefined>((resolve, reject) => {
        onCut = () => resolve(undefined)
        if (coming) coming.then(resolve, reject)
        else onCut()
      })
      if (next === undefined) return yield cutOff(provider, watch.cause)
      if (next.done) return watch.complete()
      watch.touch()
      yield refine(provider, next.value)
    }
  } catch (error) {
    yield failedEvent({ provider }, { class: 'unknown', detail: detailOf(error) })
  } finally {
    watch.close()
    // A source that was cut off may hang in here too: nobody waits for it.
    events?.return?.().catch(() => undefined)
  }
}

/** A provider that passes on what a service said need not know our classes: status and words are read as in our protocols. */
function refine(provider: string, event: ModelEvent): ModelEvent {
  if (event.type !== 'failed' || event.class !== 'unknown' || event.error.code !== 'MODEL_UNKNOWN') return event
  const { detail, status } = event.error.params
  const message = String(detail ?? '')
  const found = classify({ message, ...(typeof status === 'number' && { status }) })
  return failedEvent({ provider }, { class: found, detail: message, retryAfterMs: event.error.retryAfterMs })
}

function cutOff(provider: string, cause: { readonly why: string; readonly detail: string } | undefined): ModelEvent {
  if (cause && cause.why !== 'interrupted') return failedEvent({ provider }, { class: 'timeout', detail: cause.detail })
  return { type: 'failed', class: 'unknown', error: { code: 'INTERRUPTED', params: {} } }
}
