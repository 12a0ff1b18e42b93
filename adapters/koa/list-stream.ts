import { Readable } from 'node:stream'
import type { Context } from 'koa'
import type { Reply } from './route.ts'

/** A whole list in the form of a page, written as it is read: it may be larger than the memory. */
export function streamList(
  ctx: Context,
  name: string,
  pieces: AsyncIterable<readonly unknown[]>,
): Reply {
  const body = Readable.from(textOf(name, pieces))
  // An answer that was cut is the only way left to say that it is not whole.
  body.once('error', () => ctx.res.destroy())
  return { body, headers: { 'Content-Type': 'application/json; charset=utf-8' } }
}

async function* textOf(
  name: string,
  pieces: AsyncIterable<readonly unknown[]>,
): AsyncGenerator<string, void, undefined> {
  let count = 0
  yield `{${JSON.stringify(name)}:[`
  for await (const piece of pieces)
    for (const item of piece) {
      yield `${count === 0 ? '' : ','}${JSON.stringify(item)}`
      count++
    }
  yield `],"totalCount":${count},"page":1,"pageSize":${count},"hasMore":false}`
}
