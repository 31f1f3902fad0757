// A Llama transformer: grouped-query attention with rotary positions, RMS norms, a gated feed-forward.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <string>
#include <vector>

#include "model.hpp"

namespace storyteller {

class transformer final : public model {
 public:
  // A model file of llama2.c, version 0. Throws file_error where its header makes no sense or its length is
  // not what the header asks for.
  explicit transformer(const std::string& path);
  transformer(const transformer&) = delete;  // the tensors point into the weights
  transformer& operator=(const transformer&) = delete;

  std::size_t vocab_size() const noexcept override { return static_cast<std::size_t>(shape_.vocab_size); }
  std::size_t context() const noexcept override { return static_cast<std::size_t>(shape_.seq_len); }
  std::span<const float> forward(token_id token) override;
  void rewind(std::size_t tokens) override;

  struct shape {
    Eigen::Index dim = 0, hidden_dim = 0, n_layers = 0, n_heads = 0, n_kv_heads = 0, vocab_size = 0,
                 seq_len = 0;
    bool shared_classifier = true;  // the token embeddings also judge the last state

    Eigen::Index head_size() const noexcept { return dim / n_heads; }
    Eigen::Index kv_dim() const noexcept { return n_kv_heads * head_size(); }
  };

 private:
  using matrix = Eigen::Map<const Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
  using vector = Eigen::Map<const Eigen::VectorXf>;

  // The tensors, where they lie in the file; one of each a layer where there are several.
  struct tensors {
    std::vector<matrix> embedding, wq, wk, wv, wo, w1, w2, w3, classifier;
    std::vector<vector> attention_norm, feed_forward_norm, final_norm;
  };

  void attend(std::size_t layer);
  void feed_forward(std::size_t layer);
  void rotate(float* heads, Eigen::Index count) const;

  shape shape_;
  std::vector<float> weights_;
  tensors tensors_;

  Eigen::Index position_ = 0;
  // What each layer remembers of every token so far, [position, kv_dim]. They grow with the text, so a header
  // that boasts of a long context costs nothing.
  std::vector<std::vector<float>> keys_, values_;
  Eigen::VectorXf state_, normed_, query_, mixed_, scores_, gate_, up_, logits_;
};

}  // namespace storyteller
