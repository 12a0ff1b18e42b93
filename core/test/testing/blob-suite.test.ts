import { test } from 'node:test'
import { blobSuite, type OpenBlobs } from '@countersign/conformance/blobs'
import { createMemoryBlobs } from '@countersign/core/testing'

blobSuite({
  test,
  create: async (): Promise<OpenBlobs> => ({ blobs: createMemoryBlobs(), close: async () => {} }),
  supports: { durability: 'memory is not durable' },
})
