import { setImmediate as pause } from 'node:timers/promises'
import type { Context } from 'koa'
import { sliceBytes, streamAnswer } from './answer-stream.ts'
import type { Held } from './answers.ts'
import { jsonType, type Reply, type Streamed } from './media.ts'
import { meterOf } from './rate-limit.ts'

/** Levels of arrays and objects that are written member by member; what is deeper is small enough to be written at once. */
const splitLevels = 3

/**
 * A large answer in JSON: encoded in slices of 64 KiB between which others run, and written as its receiver takes it. A
 * document of 60 MB in one `JSON.stringify` would hold the event loop for a quarter of a second.
 */
export async function streamJson<T>(
  ctx: Context,
  value: T,
  headers: Readonly<Record<string, string>> = {},
): Promise<Reply<T>> {
  const parts: Buffer[] = []
  let rest = 0
  for (const part of jsonParts(value)) {
    parts.push(part)
    rest += part.length
    await pause()
  }
  const { answers, owner } = ctx.state
  meterOf(ctx)(rest)
  const length = String(rest)
  const next = async (held: Held) => {
    held.holds(rest)
    const part = parts.shift()
    rest -= part?.length ?? 0
    return part ?? null
  }
  const body: Streamed<T> = streamAnswer({ next, owner }, answers, () => void ctx.res.destroy())
  return { body, headers: { ...headers, 'Content-Type': jsonType, 'Content-Length': length } }
}

/** The bytes of `JSON.stringify(value)`, for data of plain objects, in parts of 64 KiB or one value more. */
export function* jsonParts(value: unknown): Generator<Buffer> {
  let text = ''
  for (const piece of pieces(value, splitLevels)) {
    text += piece
    if (text.length < sliceBytes) continue
    yield Buffer.from(text)
    text = ''
  }
  yield Buffer.from(text)
}

function* pieces(value: unknown, levels: number): Generator<string> {
  if (typeof value !== 'object' || value === null || levels === 0) {
    yield JSON.stringify(value)
    return
  }
  const named = !Array.isArray(value)
  let separator = named ? '{' : '['
  for (const [name, member] of Object.entries(value)) {
    if (named && member === undefined) continue
    yield named ? `${separator}${JSON.stringify(name)}:` : separator
    yield* pieces(member ?? null, levels - 1)
    separator = ','
  }
  const opened = separator === ','
  yield named ? (opened ? '}' : '{}') : opened ? ']' : '[]'
}
