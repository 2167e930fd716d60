//! Where a token lies in the table: the one function that whoever writes the table and whoever searches it share.

/// How many buckets the table has: three tokens a bucket, on the average.
pub(super) const BUCKETS: usize = 1 << 16;

/// The bucket that a token's bytes belong to.
pub(super) fn bucket(token: &[u8]) -> usize {
    let mixed = token.iter().fold(token.len() as u64, |sum, byte| {
        (sum.rotate_left(5) ^ u64::from(*byte)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    });
    // The highest bits of a product depend on all bits of its factors.
    (mixed >> 48) as usize
}
