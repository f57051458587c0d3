//! Basic blocks of a function, by a linear sweep over its code.
//!
//! A block starts at the target of a direct branch, after a branch or return, and at the entry. A trap in the middle of an
//! instruction would change what the program does, so a function is left out as a whole if anything about its code is doubtful: an
//! instruction that cannot be decoded, one that reaches beyond the end, or a branch into the middle of another (`lock` prefixes that
//! are jumped over, data between instructions).

use std::collections::BTreeSet;

use iced_x86::{Code, Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic};

/// The addresses of block starts in a function, its entry excluded; `None` if the code cannot be trusted.
pub fn block_starts(code: &[u8], address: u64) -> Option<BTreeSet<u64>> {
    let end = address + code.len() as u64;
    let mut decoder = Decoder::with_ip(64, code, address, DecoderOptions::NONE);
    let (mut boundaries, mut starts, mut targets) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    let mut begins = false;
    let mut instruction = Instruction::default();
    while decoder.can_decode() {
        decoder.decode_out(&mut instruction);
        if instruction.code() == Code::INVALID || instruction.next_ip() > end {
            return None;
        }
        boundaries.insert(instruction.ip());
        // Padding between blocks is never executed; the block starts after it.
        if begins && !is_padding(&instruction) {
            starts.insert(instruction.ip());
            begins = false;
        }
        match instruction.flow_control() {
            FlowControl::ConditionalBranch
            | FlowControl::UnconditionalBranch
            | FlowControl::XbeginXabortXend => {
                targets.insert(instruction.near_branch_target());
                begins = true;
            }
            FlowControl::Return | FlowControl::IndirectBranch | FlowControl::Exception => begins = true,
            _ => {}
        }
    }
    let inside = targets.range(address + 1..end).copied();
    for target in inside {
        if !boundaries.contains(&target) {
            return None;
        }
        starts.insert(target);
    }
    starts.remove(&address);
    Some(starts)
}

fn is_padding(instruction: &Instruction) -> bool {
    matches!(instruction.mnemonic(), Mnemonic::Nop | Mnemonic::Int3 | Mnemonic::Ud2)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Block starts relative to the entry.
    fn starts(code: &[u8]) -> Option<Vec<u64>> {
        block_starts(code, 0x1000).map(|starts| starts.into_iter().map(|start| start - 0x1000).collect())
    }

    #[test]
    fn branches_end_blocks_and_their_targets_start_some() {
        // 0: test edi, edi; 2: je 7; 4: nop; 5: nop; 6: ret; 7: xor eax, eax; 9: ret
        assert_eq!(starts(&[0x85, 0xff, 0x74, 0x03, 0x90, 0x90, 0xc3, 0x31, 0xc0, 0xc3]), Some(vec![6, 7]));
        // The same with an instruction after the branch: 4: inc eax; 6: ret
        assert_eq!(starts(&[0x85, 0xff, 0x74, 0x03, 0xff, 0xc0, 0xc3, 0x31, 0xc0, 0xc3]), Some(vec![4, 7]));
    }

    #[test]
    fn doubtful_code_has_no_blocks() {
        // A branch into the middle of an instruction.
        assert_eq!(starts(&[0x74, 0x01, 0xf0, 0xff, 0x07, 0xc3]), None);
        // An invalid instruction.
        assert_eq!(starts(&[0x90, 0x06, 0xc3]), None);
        // An instruction that is cut off.
        assert_eq!(starts(&[0x90, 0xe8, 0x00]), None);
    }
}
