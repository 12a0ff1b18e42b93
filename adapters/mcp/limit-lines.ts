import { Transform } from 'node:stream'

/** Passes bytes on as they come; fails once a line has more than so many, its line feed left out. */
export function limitLines(most: number): Transform {
  let length = 0
  return new Transform({
    transform(chunk: Buffer, _, done) {
      let begin = 0
      while (length <= most) {
        const end = chunk.indexOf('\n', begin)
        length += (end === -1 ? chunk.length : end) - begin
        if (end === -1 || length > most) break
        begin = end + 1
        length = 0
      }
      if (length > most) done(new RangeError(`expected messages of at most ${most} bytes in size`))
      else done(null, chunk)
    },
  })
}
