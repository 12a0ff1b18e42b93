import type { CaseAnswer } from '@countersign/client'
import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { loadScript, NotLoaded } from '../client/load.ts'
import { type Part, partsOf } from './parts.ts'

/** A document as it is drawn. */
export interface Drawn {
  readonly parts: readonly Part[]
  /** Of each part by its id, by which one that changed is told. */
  readonly contents: ReadonlyMap<string, string>
}

export function drawnOf({ presentation, adopted }: CaseAnswer): Drawn {
  const parts = partsOf(presentation, adopted)
  return {
    parts,
    contents: new Map(parts.map((part) => [part.id, JSON.stringify(part.members)] as const)),
  }
}

/** The pause before what computes digests is asked for again. */
const againMs = 3_000

/** The digest of the very document that is drawn; undefined: not computed yet, null: it has none, for it is gone or no canonical JSON. */
export function useDigest(presentation: CaseAnswer['presentation']): string | null | undefined {
  const found = useSignal<{ readonly of: unknown; readonly digest: string | null } | null>(null)
  useEffect(() => {
    let isLeft = false
    let timer = 0
    const compute = async () => {
      const { digestOf } = await loadScript(() => import('@countersign/core/canonical'))
      return presentation && digestOf(presentation)
    }
    const tryIt = () => {
      compute().then(
        (digest) => {
          if (!isLeft) found.value = { of: presentation, digest }
        },
        (error: unknown) => {
          if (isLeft) return
          // What computes it has not come, which says nothing of the document.
          if (error instanceof NotLoaded) timer = window.setTimeout(tryIt, againMs)
          else found.value = { of: presentation, digest: null }
        },
      )
    }
    tryIt()
    return () => {
      isLeft = true
      window.clearTimeout(timer)
    }
  }, [presentation])
  // The digest of another document says nothing of this one.
  return found.value?.of === presentation ? found.value.digest : undefined
}

/** The parts of a case as it is drawn, the same ones until the document is another. */
export function useDrawn(shown: CaseAnswer): Drawn {
  return useMemo(() => drawnOf(shown), [shown.presentation, shown.adopted])
}
