import assert from 'node:assert/strict'
import { scryptSync } from 'node:crypto'
import { describe, it } from 'node:test'
import { passwords } from '@countersign/node'
import fc from 'fast-check'
import { formatPhc, parsePhc } from '../phc.ts'

const quick = { logN: 4 }
/** None has NUL, which scrypt takes for the padding of its key: the core asks for no such password. */
const chosen = (of: fc.StringConstraints = {}) =>
  fc.string(of).filter((text) => !text.includes('\0'))

describe('passwords', () => {
  it('are hashed with N = 2^17, r = 8, p = 1 and a salt of their own', async () => {
    const real = passwords()
    const hash = await real.hash('correct horse')
    assert.match(hash ?? '', /^\$scrypt\$ln=17,r=8,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
    assert.equal(await real.verify('correct horse', hash, 'strangers'), true)
    assert.equal(await passwords(quick).verify('correct horse!', hash, 'strangers'), false)
  })

  it('give the value of RFC 7914 section 12', async () => {
    const hash = scryptSync('password', 'NaCl', 64, { N: 1024, r: 8, p: 16 })
    assert.equal(hash.toString('hex').slice(0, 16), 'fdbabe1c9d347200')
    const stored = formatPhc({ logN: 10, r: 8, p: 16, salt: Buffer.from('NaClNaCl'), hash })
    assert.equal(await passwords(quick).verify('password', stored, 'strangers'), false)
    const salted = scryptSync('password', 'NaClNaCl', 64, { N: 1024, r: 8, p: 16 })
    const right = formatPhc({ logN: 10, r: 8, p: 16, salt: Buffer.from('NaClNaCl'), hash: salted })
    assert.equal(await passwords(quick).verify('password', right, 'strangers'), true)
  })

  it('that are equal have different hashes', async () => {
    const one = passwords(quick)
    assert.notEqual(await one.hash('x'), await one.hash('x'))
  })

  it('are verified for any text', async () => {
    const one = passwords(quick)
    await fc.assert(
      fc.asyncProperty(chosen({ unit: 'binary' }), chosen(), async (password, other) => {
        const stored = await one.hash(password)
        assert.equal(await one.verify(password, stored, 'strangers'), true)
        if (Buffer.compare(Buffer.from(password), Buffer.from(other)) !== 0)
          assert.equal(await one.verify(other, stored, 'strangers'), false)
      }),
      { numRuns: 50 },
    )
  })

  it('of nobody are refused after the same work', async () => {
    const one = passwords(quick)
    assert.equal(await one.verify('', null, 'strangers'), false)
    const slow = passwords({ logN: 15 })
    const stored = await slow.hash('x')
    const time = async (hash: string | null) => {
      const start = process.cpuUsage()
      await slow.verify('y', hash, 'strangers')
      const { user, system } = process.cpuUsage(start)
      return user + system
    }
    const known = await time(stored)
    const unknown = await time(null)
    assert.ok(unknown > known / 4 && unknown < known * 4, `${unknown} µs against ${known} µs`)
  })

  it('wait for two others, and beyond those that may wait are told so', async () => {
    const one = passwords({ logN: 10, atOnce: 2, waiting: 3 })
    const stored = await one.hash('x')
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => one.verify('x', stored, 'strangers')),
    )
    assert.deepEqual(answers, [true, true, true, true, true, null, null, null, null, null])
    assert.equal(await one.verify('x', stored, 'strangers'), true)
    const hashes = await Promise.all(Array.from({ length: 6 }, () => one.hash('x')))
    assert.equal(hashes.filter((hash) => hash === null).length, 1)
  })

  it('of callers who left take neither a turn nor a place', async () => {
    const one = passwords({ logN: 10, atOnce: 1, waiting: 3 })
    const stored = await one.hash('x')
    const verify = (caller?: { readonly aborted: boolean }) =>
      one.verify('x', stored, 'strangers', caller)
    const running = verify()
    const callers = [1, 2, 3].map(() => new AbortController())
    const left = callers.map(({ signal }) => verify(signal))
    assert.equal(await verify(), null, 'the queue is full')
    for (const caller of callers.slice(0, 2)) caller.abort()
    const next = verify()
    assert.deepEqual(await Promise.all(left.slice(0, 2)), [null, null], 'dropped for the newcomer')
    callers[2]?.abort()
    assert.deepEqual(
      [await running, await left[2], await next, await verify()],
      [true, null, true, true],
    )
  })

  it('in a form that is not ours are an error, not a wrong password', () => {
    const one = passwords(quick)
    const salt = 'A'.repeat(22)
    const hash = 'A'.repeat(43)
    for (const stored of [
      '',
      'plain',
      '$2b$12$abcdefghijklmnopqrstuv',
      `$scrypt$ln=17,r=8,p=1$${salt}`,
      `$scrypt$ln=0,r=8,p=1$${salt}$${hash}`,
      `$scrypt$ln=18,r=8,p=1$${salt}$${hash}`,
      `$scrypt$ln=17,r=99,p=1$${salt}$${hash}`,
      `$scrypt$ln=17,r=8,p=1$${salt}$${hash}\n`,
    ])
      assert.throws(() => one.verify('x', stored, 'strangers'), /stored password hash/, stored)
  })
})

describe('PHC strings', () => {
  it('are read as they were written', () => {
    const members = {
      logN: fc.integer({ min: 1, max: 15 }),
      r: fc.integer({ min: 1, max: 32 }),
      p: fc.integer({ min: 1, max: 16 }),
      salt: fc.uint8Array({ minLength: 8, maxLength: 64 }),
      hash: fc.uint8Array({ minLength: 16, maxLength: 64 }),
    }
    const hash = fc.record(members, { noNullPrototype: true })
    fc.assert(
      fc.property(hash, (made) => {
        const { salt, hash: bytes, ...cost } = parsePhc(formatPhc(made))
        assert.deepEqual(
          { ...cost, salt: Uint8Array.from(salt), hash: Uint8Array.from(bytes) },
          made,
        )
      }),
    )
  })
})
