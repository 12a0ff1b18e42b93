import { inTurn } from './figure.ts'

/** A side of a ratio of processor times: a server that has been warmed up. */
export interface Side {
  /** Does one slice of work. */
  slice(): Promise<unknown>
  /** Processor time of its process so far, ms, of all threads. */
  cpuMs(): Promise<number>
}

/** What both sides took of the processor for the same count of slices, ms. */
export interface Taken {
  readonly ownMs: number
  readonly otherMs: number
}

/**
 * Processor time of two sides that take turns in short slices, `own other other own`, `quads` times: what else the
 * machine does lasts longer than a slice, and so meets both alike. Work that a slice leaves behind counts too.
 */
export async function inSlices(own: Side, other: Side, quads: number): Promise<Taken> {
  const used = () => Promise.all([own.cpuMs(), other.cpuMs()])
  const [ownBefore, otherBefore] = await used()
  await inTurn(quads, async () => {
    for (const side of [own, other, other, own]) await side.slice()
  })
  const [ownAfter, otherAfter] = await used()
  return { ownMs: ownAfter - ownBefore, otherMs: otherAfter - otherBefore }
}
